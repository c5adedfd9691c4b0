import { TerraformVariable, Token } from "cdktf";
import { Platform } from "../../src/constructs/platform";
import { Secret } from "../../src/constructs/secret";
import { flatten, requestBody, type FlatDeclaration } from "../../src/declarations/declaration";
import { overrideProblems } from "../../src/declarations/override-rules";
import { DeclarationSchema } from "../../src/declarations/terraform/declaration-schema";
import { objectTypeOf } from "../../src/declarations/types";
import { decodeObject, decodeState, encode } from "../../src/plugin/values/codec";
import type { ObjectValue } from "../../src/terraform/value";
import type { JsonObject } from "../../src/model/provider-type";
import { typeOf, withoutWriteOnly } from "../../src/terraform/attributes";
import { goldens } from "../goldens";
import { cluster, provider } from "../support/capvs";
import { synthesize } from "../support/synth";

/** Two declarations are the same only if they send the same `bodyOverrides`, apart from the values of secrets. */

const type = objectTypeOf("capvs", "clusters");
const schema = new DeclarationSchema(type);
const secret = (value: string) => ({ $secret: { value } });
const named = { $secret: { env: "NAME" } };
const { name, provider: on, ...rest } = goldens.capvs.cluster.minimal.declaration;
const declaring = (x: unknown): JsonObject => ({ ...rest, name, provider: on, bodyOverrides: { cluster: { x } } });

const hooks = (declaration: JsonObject): FlatDeclaration =>
  Object.fromEntries(Object.entries(flatten(type, declaration)).map(([key, value]) => [key, String(value)]));
/** The fields that the provider reads from its state, which has no write-only values. */
const stored = (declaration: JsonObject) => {
  const type = typeOf(schema.attributes);
  const state = encode(type, withoutWriteOnly(schema.attributes, schema.valueOf(declaration)));
  return schema.fieldsOf(decodeObject(type, state)!) as FlatDeclaration;
};

test.each([
  [[3], ["3"]],
  [3, "3"],
  [["a", "b"], ["a, b"]],
  [
    ["a", "b"],
    ["b", "a"],
  ],
  [null, "null"],
  [[null], ["null"]],
  [true, "true"],
  [undefined, {}],
  [undefined, []],
  [[], {}],
  [[], ""],
  [[[]], []],
  [[{}], []],
  [{ a: {} }, {}],
  [{ 0: "a", 1: {} }, ["a", {}]],
  [{ "a.b": 1 }, { a: { b: 1 } }],
  [undefined, secret("s")],
  [{ a: 1 }, { a: 1, b: secret("s") }],
  [["a"], ["a", named]],
  ["(secret)", secret("s")],
  [[{ public: 1, s: secret("s") }], [{ public: 2, s: secret("s") }]],
  [[{ public: 1, s: secret("s") }], [{ public: 1 }]],
  [[{ s: secret("s") }], [{ s: secret("s") }, { s: secret("s") }]],
])("%j and %j are two declarations", (one, other) => {
  const [before, after] = [declaring(one), declaring(other)];
  expect(requestBody(type, before)).not.toEqual(requestBody(type, after));
  expect(hooks(before)).not.toEqual(hooks(after));
  expect(stored(before)).not.toEqual(stored(after));
});

test.each([
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [secret("old"), secret("new")],
  [[{ public: 1, s: secret("old") }], [{ public: 1, s: named }]],
])("%j and %j are one declaration", (one, other) => {
  expect(hooks(declaring(one))).toEqual(hooks(declaring(other)));
  expect(stored(declaring(one))).toEqual(stored(declaring(other)));
});

const mixed = {
  list: [1, "a, b", null],
  sites: [{ name: "proxy", password: secret("s3cret"), more: [secret("other"), named] }],
  empty: {},
  "a.b": [[], "<&>", "x\u0d4e", "\u{110bd}"],
};

test("secrets in lists are write-only, and the public fields beside them are not", () => {
  const value = schema.valueOf(declaring(mixed));
  expect(JSON.stringify(value.body_overrides)).not.toMatch(/s3cret|other/);
  expect(JSON.stringify(value.body_overrides_wo)).not.toContain("proxy");
  expect(schema.declarationOf(value)).toEqual(declaring(mixed));
});

test("letters that join a quote are escaped, because Terraform would miss the quote", () => {
  const texts = hooks(declaring(["x\u0d4e", "\u{110bd}", "é"]));
  expect(texts["bodyOverrides.cluster.x"]).toBe('["x\\u0d4e","\\ud804\\udcbd","é"]');
});

test("a number that JavaScript rounds is refused", () => {
  const problems = (x: unknown) => overrideProblems(type, declaring(x)).map(({ message }) => message);
  expect(problems([{ a: 2 ** 53 }])).toEqual([
    "'bodyOverrides.cluster.x[0].a' must be at most 2^53 - 1, because JavaScript rounds larger numbers, got 9007199254740992; if the service takes it, send it as text",
  ]);
  expect(problems([2 ** 53 - 1, 0.1, 1e-7, -5])).toEqual([]);
  // Terraform's own numbers have any number of digits.
  const type64 = ["object", { cluster: ["object", { x: "number" }] }] as const;
  const config = {
    ...schema.valueOf(declaring(1)),
    body_overrides: { type: type64, value: { cluster: { x: "9007199254740993" } } },
  };
  const decoded = decodeState(typeOf(schema.attributes), Buffer.from(JSON.stringify(config)));
  expect(schema.problems(decoded as ObjectValue).map(({ summary }) => summary)).toEqual([
    expect.stringContaining("because JavaScript rounds larger numbers"),
  ]);
});

test("Terraform encodes the values of tokens as JSON, and synth encodes literals", () => {
  const { locals, resource } = synthesize((stack) => {
    new Platform(stack, "platform");
    const text = new TerraformVariable(stack, "text", { type: "string" });
    const list = new TerraformVariable(stack, "list", { type: "list(string)" });
    const vsphere = provider(stack, "vsphere");
    cluster(stack, "prod", vsphere, {
      bodyOverrides: {
        single: text.value,
        mixed: `"${text.stringValue}`,
        list: list.listValue,
        items: ["a", Token.asNumber(text.value)],
        literal: ["<a>", 1],
        secret: Secret.fromToken(text.stringValue),
      },
    });
  }) as unknown as Record<string, Record<string, Record<string, { triggers: string; triggers_replace: string }>>>;
  const [entries] = Object.values(locals!).flatMap((local) => (local.prod?.triggers ? [local.prod] : [])) as unknown as [
    { triggers: JsonObject; json: string[] },
  ];
  expect(entries.triggers).toMatchObject({
    "bodyOverrides.single": "${var.text}",
    "bodyOverrides.mixed": '"${var.text}',
    "bodyOverrides.list": "${var.list}",
    "bodyOverrides.items": ["a", "${var.text}"],
    "bodyOverrides.literal": '["\\u003ca\\u003e",1]',
    "bodyOverrides.secret": "(secret)",
  });
  expect(entries.json).toEqual(["single", "mixed", "list", "items"].map((key) => `bodyOverrides.${key}`));
  expect(Object.values(resource!.null_resource!).map(({ triggers }) => triggers)).toContainEqual(
    expect.stringMatching(/contains\(try\(.+\.json, \[\]\), k\) \? jsonencode\(v\) : tostring\(v\)/),
  );
});
