import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lazy } from "cdktf";
import fc from "fast-check";
import { KINDS, TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import { objectTypeOf } from "../../src/declarations/types";
import { preconditions } from "../../src/constructs/hook-engine/preconditions";
import { accepted } from "../support/schema";
import { backendsFor } from "./test-on-backends";
import { execute } from "./workspace";

const title = "Terraform lets every value pass that the rules accept";
const binaries = [...new Set(backendsFor(title).map(({ binary }) => binary))];
/** For each type and kind. */
const COUNT = 5;
const token = Lazy.stringValue({ produce: () => "${var.any}" });

/** Replaces every single value with a token. */
function tokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tokens);
  if (typeof value !== "object" || value === null) return token;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, tokens(item)]));
}

/** Replaces every number and boolean with text, because Terraform converts them. */
function texts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(texts);
  if (typeof value !== "object" || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, texts(item)]));
}

test.each(binaries)(`${title}, by %s`, async (binary) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const folder = mkdtempSync(join(tmpdir(), "preconditions-"));
  try {
    const locals: JsonObject = {};
    const blocks: JsonObject = {};
    for (const type of TYPE_CODES) {
      for (const kind of KINDS) {
        const id = `${type}_${kind}`;
        const { spec } = objectTypeOf(type, kind);
        const specs = fc.sample(accepted(spec), { numRuns: COUNT, seed }) as JsonObject[];
        const conditions = specs.flatMap((each) => preconditions(spec, tokens(each) as JsonObject, `local.${id}`));
        const distinct = new Map(conditions.map(({ condition, errorMessage }) => [condition, errorMessage]));
        expect(distinct.size).toBeGreaterThan(0);
        const declarations = [...specs, ...specs.map(texts)].map((each, index) => [
          `n${index}`,
          { path: `stack/${index}`, spec: each },
        ]);
        writeFileSync(join(folder, `${id}.json`), JSON.stringify(Object.fromEntries(declarations)));
        locals[id] = `\${jsondecode(file("${id}.json"))}`;
        blocks[id] = {
          for_each: `\${{ for name, _ in local.${id} : name => name }}`,
          lifecycle: { precondition: [...distinct].map(([condition, error_message]) => ({ condition, error_message })) },
        };
      }
    }
    writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ locals, resource: { terraform_data: blocks } }));
    await execute(binary, ["init", "-input=false"], folder, {}, {});
    const { status, output } = await execute(binary, ["plan", "-input=false"], folder, {}, {});
    expect({ seed, status, output }).toMatchObject({
      status: 0,
      output: expect.stringContaining(`Plan: ${14 * 2 * COUNT} to add`),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
