import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { platformOfPrefix } from "../../../contract/addresses";
import { readFormerUrls } from "../../../contract/run-settings";
import type { SynthesizedObject } from "../../../contract/synthesized-objects";
import { systemClock } from "../../../model/clock";
import { NOTES_FOLDER, notesFolder } from "../../../host/notes-folder";
import { Journal } from "../../../lifecycle/journal";
import { idOf } from "../../../model/object-ref";
import { isRetained } from "../../../model/protection";
import type { StateObject } from "../../drift/state-objects";
import type { LiveService } from "../service";
import type { Stack, StackPlatform } from "../stack";

export interface ComparedPlatform {
  readonly stack: Stack;
  readonly platform: StackPlatform;
  readonly service: LiveService;
  /** Only the objects of this Platform. */
  readonly had: readonly StateObject[];
  readonly env: NodeJS.ProcessEnv;
  /** Notes of earlier applies in the folder of the stack. */
  readonly journal: Journal;
  /** Ids that this run adopts if the service has them. */
  readonly adopted: ReadonlySet<string>;
  /** The objects in the state of all Platforms that leave the code, and that an apply deletes or leaves on the service. */
  readonly leaving: readonly StateObject[];
  /** The object of the state that a declared object continues. */
  storedFor(this: void, object: SynthesizedObject): StateObject | undefined;
}

export function journalOf({ folder }: Stack, { prefix }: StackPlatform, { url }: LiveService, env: NodeJS.ProcessEnv): Journal {
  const workspace = workspaceOf(folder, env);
  const platform = platformOfPrefix(prefix);
  const place = {
    notes: notesFolder(join(folder, NOTES_FOLDER)),
    url,
    formerUrls: readFormerUrls(env),
    workspace,
    platform,
    run: "",
  };
  return new Journal(place, systemClock);
}

/** The workspace of Terraform, which it keeps in its data folder. */
function workspaceOf(folder: string, { TF_WORKSPACE: chosen, TF_DATA_DIR: data }: NodeJS.ProcessEnv): string {
  const file = join(folder, data || ".terraform", "environment");
  return chosen || (existsSync(file) && readFileSync(file, "utf8").trim()) || "default";
}

/** The declared objects that this run adopts if the service has them. */
export function adoptedBy({ platforms }: Stack, { CLUSTER_PLATFORM_ADOPT: ids = "" }: NodeJS.ProcessEnv): ReadonlySet<string> {
  const named = new Set(ids.split(",").map((id) => id.trim()));
  const declared = platforms.flatMap((platform) => platform.declared);
  return new Set(declared.filter((object) => object.entry.adopt === true || named.has(idOf(object))).map(idOf));
}

/** Whether an object of the state stays on the service if it leaves the code: its Platform retains it, or forgets it. */
export function isKept(stack: Stack, object: StateObject): boolean {
  const { id } = object;
  const settings = stack.platforms.find(({ prefix }) => prefix === id.platform.prefix)?.settings;
  return isForgotten(stack, object) || (settings !== undefined && isRetained(settings, id.id));
}

/** With hooks: whether the code has no destroy hook for the object, so that Terraform drops it from the state. */
export function isForgotten(stack: Stack, { id }: StateObject): boolean {
  return !id.byProvider && stack.destroyHook(id.block) === undefined;
}

/** With hooks, a tainted object may never have been created, or may belong to somebody else. */
export function isOwned({ id, tainted }: StateObject): boolean {
  return id.byProvider || !tainted;
}
