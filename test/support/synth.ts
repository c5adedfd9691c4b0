import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { keptText } from "../../src/contract/kept-text";
import type { JsonObject } from "../../src/model/provider-type";

/** The validated JSON of a synthesized stack. */
export function synthesize(declare: (stack: TerraformStack) => void, name = "stack"): Synthesized {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-synth-"));
  try {
    const app = new App({ outdir });
    declare(new TerraformStack(app, name));
    app.synth();
    const synthesized = JSON.parse(readFileSync(join(outdir, "stacks", name, "cdk.tf.json"), "utf8")) as Omit<
      Synthesized,
      "entries"
    >;
    return { ...synthesized, entries: entriesIn(synthesized) };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The declaration for a hook. Tokens are in Terraform's syntax. */
export interface Entry {
  readonly path: string;
  readonly triggers: Record<string, unknown>;
  readonly adopt?: boolean;
  readonly spec: JsonObject;
}

/** Entries by block, such as `capvs_clusters`, and by name. */
export type EntriesByBlock = Record<string, Record<string, Entry>>;

export function entriesIn({ locals = {} }: Partial<Pick<Synthesized, "locals">>): EntriesByBlock {
  const blocks = Object.keys(locals).filter((id) => `${id}_with_tokens` in locals);
  const entry = (block: string, name: string, text: unknown) =>
    text === null ? locals[`${block}_with_tokens`]![name] : keptText(JSON.parse(String(text)));
  return Object.fromEntries(
    blocks.map((block) => [
      block,
      Object.fromEntries(Object.entries(locals[block]!).map(([name, text]) => [name, entry(block, name, text) as Entry])),
    ]),
  );
}

export interface Synthesized {
  readonly locals: Record<string, Record<string, unknown>>;
  readonly entries: EntriesByBlock;
  readonly resource: Record<string, Record<string, Record<string, never>>>;
  readonly terraform: { readonly required_providers?: Record<string, unknown> };
  readonly provider?: Record<string, unknown>;
  readonly moved?: readonly { from: string; to: string }[];
  readonly output?: Record<string, { readonly value: unknown }>;
}

export function synthError(declare: (stack: TerraformStack) => void): Error & { code?: string } {
  try {
    synthesize(declare);
  } catch (error) {
    return error as Error;
  }
  throw new Error("the synth did not fail");
}
