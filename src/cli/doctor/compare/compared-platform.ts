import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { platformOfPrefix } from "../../../contract/addresses";
import { isDeclaredElsewhere } from "../../../contract/declared-elsewhere";
import { NOTES_FOLDER, notesFolder } from "../../../host/notes-folder";
import type { RunSettings } from "../../../host/run-settings";
import { Journal } from "../../../lifecycle/journal";
import { liveUnder } from "../../../lifecycle/live";
import type { Machine } from "../../../lifecycle/machine";
import { mayBeOneService } from "../../../model/base-url";
import { systemClock } from "../../../model/clock";
import { idOf, objectOf, type ObjectRef } from "../../../model/object-ref";
import { once } from "../../../model/once-per";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { namesAnother } from "../../drift/find-drift";
import type { StateObject } from "../../drift/state-objects";
import { type CheckResult, doubtful, wrong } from "../check-result";
import { type LiveService, type LiveServices, serviceOf } from "../service";
import type { Stack, StackPlatform } from "../stack";
import { handedOver } from "./moves";
import type { PlannedState } from "./planned";

/** Where an apply runs. */
export type Site = Pick<Machine, "clock" | "notes">;

/** The folder of the stack on this machine. */
export function siteOf({ folder }: Stack): Site {
  return { clock: systemClock, notes: notesFolder(join(folder, NOTES_FOLDER)) };
}

/** What all Platforms of the stack have in common. */
export interface ComparedRun {
  readonly state: PlannedState;
  readonly services: LiveServices;
  readonly env: NodeJS.ProcessEnv;
  readonly run: RunSettings;
  readonly site: Site;
}

export type ComparedPlatform = ReturnType<typeof comparedPlatform>;

/** A Platform whose service can be read. */
export type LivePlatform = ComparedPlatform & { readonly service: LiveService; readonly journal: Journal };

/** What an apply begins with. */
export function comparedPlatform({ state, services, env, run, site }: ComparedRun, platform: StackPlatform) {
  const { stack } = state;
  const service = serviceOf(platform, services);
  const journal = service && journalOf(stack, platform, service, { env, run, site });
  const declared = new Map(platform.declared.map((object) => [idOf(object), object]));
  /** A Platform that left the code has used the service that the state names. */
  const mayBeHere = (object: StateObject) => {
    const owner = state.ownerOf(object);
    return mayBeOneService((owner && serviceOf(owner, services)?.url) ?? object.service, service?.url);
  };
  return {
    stack,
    state,
    platform,
    /** Undefined if it cannot be read. */
    service,
    /** Notes of earlier applies in the folder of the stack. */
    journal,
    run,
    /** By this machine's clock, in milliseconds since the epoch. */
    now: site.clock.now(),
    /** Only the objects of this Platform. Empty if the state is not known. */
    had: state.hadBy(platform),
    /** See {@link PlannedState.isChanging}. */
    isChanging: once(() => state.isChanging(platform)),
    /** With hooks: what the orphan check in the state knows. */
    recorded: state.snapshotOf(platform, "orphan_check"),
    /** With hooks: what the deletion guard in the state knows. It looks at the service before the orphan check does. */
    guard: state.snapshotOf(platform, "deletion_guard"),
    /** The declared objects that this run adopts if the service has them. */
    adopted: new Set([
      ...platform.declared.filter((object) => object.entry.adopt === true || run.adoptions.has(idOf(object))),
      ...handedOver(state, platform, journal),
    ]),
    /** The objects in the state of all Platforms on this service that leave the code. An apply deletes them or leaves them there. */
    leaving: state.all.filter((object) => state.isLeaving(object) && mayBeHere(object)),
    mayBeHere,
    declaredAs: (id: string) => declared.get(id),
    liveOf: (object: ObjectRef) => service && liveUnder(object, service),
    /** Whether the state names another service than that of this run. */
    namesAnother: (object: StateObject) =>
      service !== undefined && namesAnother(object, { url: service.url, formerUrls: run.formerUrls }),
    /** What other Platforms declare under the id on the same service. */
    declaredElsewhere(id: string): readonly SynthesizedObject[] {
      const others = service ? stack.platforms.filter((other) => other !== platform) : [];
      return others.flatMap((other) => {
        const found = other.declared.filter((object) => idOf(object) === id);
        const there = { url: other.settings.connection.url ?? "", objects: found.map(idOf) };
        return isDeclaredElsewhere([there], objectOf(id), service!.url, env) ? found : [];
      });
    },
  };
}

export function isLive(compared: ComparedPlatform): compared is LivePlatform {
  return compared.service !== undefined;
}

function journalOf(
  { folder }: Stack,
  platform: StackPlatform,
  { url }: LiveService,
  { env, run, site }: Pick<ComparedRun, "env" | "run" | "site">,
): Journal {
  const formerUrls = isByProvider(platform) ? run.formerUrls : [];
  const place = { url, formerUrls, workspace: workspaceOf(folder, env), platform: platformOfPrefix(platform.prefix) };
  return new Journal({ ...place, notes: site.notes, run: "" }, site.clock);
}

/** A finding about an apply that fails if it runs hooks. Without a change, Terraform runs none. */
export function failing({ platform, isChanging }: ComparedPlatform, subject: string, message: string): CheckResult {
  if (isByProvider(platform) || isChanging()) return wrong(subject, message);
  return doubtful(subject, `${message}. An apply without changes does not notice it`);
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
