import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { platformOfPrefix, supportAddress, supportId } from "../../../contract/addresses";
import type { RunSettings } from "../../../host/run-settings";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { systemClock } from "../../../model/clock";
import { NOTES_FOLDER, notesFolder } from "../../../host/notes-folder";
import { Journal } from "../../../lifecycle/journal";
import type { Machine } from "../../../lifecycle/machine";
import { idOf } from "../../../model/object-ref";
import type { Snapshot } from "../../../contract/snapshot";
import { namesAnother as namesAnotherOf } from "../../drift/find-drift";
import { snapshots, type StateObject } from "../../drift/state-objects";
import { platformKey } from "../../report/instance";
import type { StateResource } from "../../report/state-values";
import { type CheckResult, doubtful, wrong } from "../check-result";
import type { LiveService } from "../service";
import type { Stack, StackPlatform } from "../stack";
import type { ComparedState } from "./compared-state";
import type { PlacedObject } from "./placed";
import type { UnmatchedNames } from "./retained-names";

export interface ComparedPlatform extends Pick<ComparedState, "storedFor"> {
  readonly stack: Stack;
  /** The objects of all Platforms in the state. */
  readonly all: readonly PlacedObject[];
  readonly platform: StackPlatform;
  readonly service: LiveService;
  /** Only the objects of this Platform. */
  readonly had: readonly PlacedObject[];
  readonly run: RunSettings;
  /** By this machine's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** With hooks: what the orphan check in the state knows. */
  readonly recorded: Snapshot | undefined;
  /** With hooks: what the deletion guard in the state knows. It looks at the service before the orphan check does. */
  readonly guard: Snapshot | undefined;
  /** Notes of earlier applies in the folder of the stack. */
  readonly journal: Journal;
  /** The declared objects of all Platforms that this run adopts if their service has them. */
  readonly adopted: ReadonlySet<SynthesizedObject>;
  /** The objects in the state of all Platforms on this service that leave the code. An apply deletes them or leaves them there. */
  readonly leaving: readonly PlacedObject[];
  /**
   * With hooks: whether an apply certainly creates, replaces or deletes something. Without a change, Terraform runs no hook. The
   * Terraform provider reads the service in every plan.
   */
  readonly isChanging: boolean;
  /** The names in `retain` that stop the deletion of an object, by its engine. */
  readonly unmatched: (this: void, byProvider: boolean) => UnmatchedNames;
  /** Whether another Platform declares an object on the same service. */
  isDeclaredElsewhere(this: void, id: string): boolean;
}

/** Where an apply runs. */
export type Site = Pick<Machine, "clock" | "notes">;

/** The folder of the stack on this machine. */
export function siteOf({ folder }: Stack): Site {
  return { clock: systemClock, notes: notesFolder(join(folder, NOTES_FOLDER)) };
}

export function journalOf(
  { folder }: Stack,
  platform: StackPlatform,
  { url }: LiveService,
  env: NodeJS.ProcessEnv,
  run: RunSettings,
  { clock, notes }: Site,
): Journal {
  const formerUrls = isByProvider(platform) ? run.formerUrls : [];
  const workspace = workspaceOf(folder, env);
  return new Journal({ notes, url, formerUrls, workspace, platform: platformOfPrefix(platform.prefix), run: "" }, clock);
}

/** The snapshot of a support resource. Terraform runs no destroy hook of a tainted one, or of one that the code does not have. */
export function snapshotOf(
  resources: readonly StateResource[],
  { destroyHook }: Stack,
  { prefix }: Pick<StackPlatform, "prefix">,
  which: "orphan_check" | "deletion_guard",
): Snapshot | undefined {
  if (destroyHook(supportAddress(supportId(prefix, which))) === undefined) return undefined;
  const current = resources.filter(({ tainted, deposed }) => !tainted && !deposed);
  return snapshots(current, which).get(platformKey({ module: "", prefix }));
}

/** Whether the Platform declares its objects with the Terraform provider. */
export function isByProvider({ declared }: StackPlatform): boolean {
  return declared.some(({ address }) => address !== undefined);
}

/** The workspace of Terraform, which it keeps in its data folder. */
function workspaceOf(folder: string, { TF_WORKSPACE: chosen, TF_DATA_DIR: data }: NodeJS.ProcessEnv): string {
  const file = join(folder, data || ".terraform", "environment");
  return chosen || (existsSync(file) && readFileSync(file, "utf8").trim()) || "default";
}

/** The declared objects that this run adopts if the service has them. */
export function adoptedBy({ platforms }: Stack, { adoptions }: RunSettings): SynthesizedObject[] {
  const declared = platforms.flatMap((platform) => platform.declared);
  return declared.filter((object) => object.entry.adopt === true || adoptions.has(idOf(object)));
}

/** Whether the state names another service than that of this run. */
export function namesAnother(object: StateObject, { service: { url }, run: { formerUrls } }: ComparedPlatform): boolean {
  return namesAnotherOf(object, { url, formerUrls });
}

/** A finding about an apply that fails if it runs hooks. */
export function failing({ platform, isChanging }: ComparedPlatform, subject: string, message: string): CheckResult {
  if (isChanging || isByProvider(platform)) return wrong(subject, message);
  return doubtful(subject, `${message}. An apply without changes does not notice it`);
}
