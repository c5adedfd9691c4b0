import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";

/** The JSON that a stack synthesizes to, validations included. */
export function synthesize(declare: (stack: TerraformStack) => void): Synthesized {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-synth-"));
  try {
    const app = new App({ outdir });
    declare(new TerraformStack(app, "stack"));
    app.synth();
    return JSON.parse(readFileSync(join(outdir, "stacks/stack/cdk.tf.json"), "utf8")) as Synthesized;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

export interface Synthesized {
  readonly locals: Record<
    string,
    Record<string, { triggers: Record<string, unknown>; body?: never; spec?: never; path: string; adopt?: boolean }>
  >;
  readonly resource: Record<string, Record<string, Record<string, never>>>;
  readonly provider?: Record<string, unknown>;
  readonly moved?: readonly { from: string; to: string }[];
}

/** What a synth says when it fails. */
export function synthError(declare: (stack: TerraformStack) => void): Error & { code?: string } {
  try {
    synthesize(declare);
  } catch (error) {
    return error as Error;
  }
  throw new Error("the synth did not fail");
}
