import { join } from "node:path";
import { HOOK_ENV, type HookSettings } from "../../api/hook-protocol";
import type { JsonObject } from "../../api/provider-type";
import { readDocument } from "../report/document";

/** A block that left the code, of which the code still says what becomes of its instances. */
export interface RemovedBlock {
  /** Whether their destroy hook runs, as a RetiredPlatform sees to. */
  readonly hook: boolean;
  /** What that hook obeys. */
  readonly settings?: HookSettings;
}

/** `removed` blocks by the address of what they are about, as in `null_resource.capvs_clusters`. */
export type RemovedBlocks = ReadonlyMap<string, RemovedBlock>;

/**
 * Reads the `removed` blocks of a synthesized stack. A plan does not show them: with and without one it looks the same.
 *
 * @throws INVALID_DOCUMENT
 */
export function readRemovedBlocks(folder: string): RemovedBlocks {
  const file = join(folder, "cdk.tf.json");
  const { removed } = readDocument(file, "the JSON of a synthesized stack") as JsonObject;
  return new Map(
    objects(removed)
      .filter(({ from }) => typeof from === "string")
      .map((block) => [block.from as string, hookOf(block)]),
  );
}

function hookOf({ provisioner }: JsonObject): RemovedBlock {
  const hook = objects(provisioner)
    .flatMap((item) => objects(item["local-exec"]))
    .find(({ when }) => when === "destroy");
  const text = (hook?.environment as JsonObject | undefined)?.[HOOK_ENV.settings];
  return { hook: hook !== undefined, ...(typeof text === "string" && { settings: settingsOf(text) }) };
}

function settingsOf(text: string): HookSettings | undefined {
  try {
    return JSON.parse(text) as HookSettings;
  } catch {
    return undefined;
  }
}

/** Terraform takes one block for a list of one. */
function objects(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter((item): item is JsonObject => typeof item === "object" && item !== null);
}
