import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject } from "../../model/provider-type";
import { type StateObject, stateObjects, STATE_DOCUMENT } from "../drift/state-objects";
import { readDocument } from "../report/document";
import { type StateResource, stateResources } from "../report/state-values";
import { ask, excerpt, tellingLine } from "./run-program";
import type { Stack } from "./stack";

export type State =
  { readonly objects: readonly StateObject[]; readonly resources: readonly StateResource[] } | { readonly problem: string };

/** A remote backend may be slow. */
const LIMIT_SECONDS = 60;

/**
 * The state that an apply in the folder would use. Only Terraform knows the backend and the workspace.
 * @param file a state as JSON, instead of Terraform's output
 * @param program undefined if there is no Terraform
 * @throws INVALID_DOCUMENT if the file is not a state
 */
export async function readState(
  { folder, synthesized }: Stack,
  file: string | undefined,
  program: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<State> {
  if (file !== undefined) return stateIn(readDocument(file, STATE_DOCUMENT), file, file);
  if (program === undefined) return { problem: "Terraform is missing" };
  const asked = { ...env, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" };
  const answer = await ask(program, ["show", "-json", "-no-color"], { env: asked, cwd: folder, seconds: LIMIT_SECONDS });
  if (answer && answer.failure === undefined) return parsed(answer.output, program);
  // Before the first 'init' Terraform fails instead of showing an empty state.
  if (isYetToBe(synthesized, folder, env)) return { objects: [], resources: [] };
  return {
    problem: `'${program} show -json' fails in ${folder} (${tellingLine(answer?.failure ?? "it is missing", /^Error:/)})`,
  };
}

/** @throws INVALID_DOCUMENT if the document is not a state */
export function stateIn(json: unknown, file: string, state: string): State {
  return { objects: stateObjects(json, file, state), resources: stateResources((json as JsonObject).values) };
}

function parsed(output: string, program: string): State {
  try {
    return stateIn(JSON.parse(output), `${program} show -json`, "");
  } catch (error) {
    return { problem: `'${program} show -json' prints no state (${excerpt((error as Error).message)})` };
  }
}

/** Whether the state is a local file that does not exist yet, such as cdktf's `terraform.<stack>.tfstate`. */
function isYetToBe(synthesized: unknown, folder: string, env: NodeJS.ProcessEnv): boolean {
  const backend = (synthesized as { terraform?: { backend?: { local?: JsonObject } } } | null)?.terraform?.backend;
  const path = backend?.local?.path;
  const isDefaultWorkspace = (env.TF_WORKSPACE || "default") === "default" && !existsSync(resolve(folder, ".terraform"));
  return typeof path === "string" && isDefaultWorkspace && !existsSync(resolve(folder, path));
}
