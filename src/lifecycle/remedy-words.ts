import { idOf, type ObjectRef } from "../model/object-ref";
import { allowDeletionLine, isProtected, type ProtectionSettings, retainLine } from "../model/protection";
import type { ErrorCode } from "../model/errors";
import type { Occasion, Remedy } from "./remedy";
import { describePlatform, sentences } from "./wording";

type Coded<Code extends Remedy["code"]> = Extract<Remedy, { readonly code: Code }>;

/** What people read of each remedy, without its full stop: when it fits, and what to do. Rare cases are in docs/troubleshooting.md. */
export type Words = { readonly [Code in Exclude<Remedy["code"], "DECIDE">]: (remedy: Coded<Code>) => string };

/** The Platform whose settings remedies change. */
export interface PlatformOfWords {
  readonly settings: ProtectionSettings;
  /** Its name. */
  readonly platform?: string;
  /** Ids of all its objects, if those that a setting names can have short names. */
  readonly known?: readonly string[];
}

/** What the words of an engine are made of. */
export interface Syntax extends PlatformOfWords {
  /** As in `terraform apply -replace='ADDRESS'`. */
  replacing(objects: readonly ObjectRef[]): string;
}

/**
 * The remedies as one text without its last full stop. Undefined if there is nothing to say.
 * @param code of the failure, whose entry in the docs has the cases that several remedies do not fit
 */
export function inWords(remedies: readonly Remedy[], words: () => Partial<Words>, code?: ErrorCode): string | undefined {
  const more =
    code !== undefined && remedies.length > 1 ? `Neither fits? docs/troubleshooting.md#${code.toLowerCase()}` : undefined;
  return sentences(...remedies.map((remedy) => sentenceOf(remedy, words)), more);
}

function sentenceOf(remedy: Remedy, words: () => Partial<Words>): string | undefined {
  if (remedy.code === "DECIDE") return remedy.sentence;
  return (words()[remedy.code] as (remedy: Remedy) => string)(remedy);
}

const OCCASIONS: Readonly<Record<Occasion, string>> = {
  later: "Apply again later; the apply continues from here",
  "service works": "Apply again when the service works again; the apply continues from here",
  "service is reachable": "Apply again when the service can be reached; the apply continues from here",
  "service answers": "Apply again when the service answers; the apply continues from here",
  "proxies are checked":
    "Such an answer proves nothing. Check that the URL is that of the service, check the proxies on the way, and apply again",
  "URL is checked": "Check that the URL is that of the service, as in https://platform.example.com, and apply again",
  "request is corrected": "The service refused the request: correct what it names and apply again",
  "conflict is resolved": "The request conflicts with what the service has: look at it (cluster-platform get) and apply again",
  "conditions are met": "Correct what the conditions name and apply again, which waits again",
  "object is gone": "Apply again when cluster-platform get clusters shows that it is gone",
  "object is unlisted": "Apply again later, when lists do not show it any more",
  "provider is shown": "Apply again when cluster-platform get clusters shows the provider",
};

/** Words for every engine. An engine replaces those that do not fit. */
export function commonWords({ replacing, ...of }: Syntax): Omit<Words, "RECREATE_MISSING"> {
  const { settings, platform, known } = of;
  const retaining = (objects: readonly ObjectRef[]) => retainingOn(of, objects);
  const allowanceFor = (objects: readonly ObjectRef[]) =>
    `${allowDeletionLine(settings, objects.map(idOf), known)} on ${describePlatform(platform)}`;
  const allowing = (objects: readonly ObjectRef[], after: string, before = "write ") => {
    const kept = objects.filter((object) => isProtected(settings, idOf(object)));
    return kept.length > 0 ? `${before}${allowanceFor(kept)}${after}` : "";
  };
  return {
    APPLY: ({ when }) => OCCASIONS[when],
    APPLY_PLAIN: () => "Apply again without this variable and without -replace",
    CONTINUE_ELSEWHERE: ({ objects }) => `On another machine, if the name is taken: apply once with ${adopting(objects)}`,
    CORRECT_URL: () => "Wrong URL: correct it",
    ACCEPT_GONE: ({ objects, orNeverCreated }) =>
      `Really gone${orNeverCreated ? ", or never created" : ""}: run once with ${acceptingGone(objects)}`,
    REPLACE: ({ objects }) =>
      `Replace ${it(objects)}, with everything on ${it(objects)}: ${allowing(objects, ", then ")}${replacing(objects)}`,
    ADOPT: ({ objects, isRenamed }) =>
      `Yours: declare ${one(objects, "its", "their")} live values${isRenamed ? `, the name ${objects[0]!.name} included,` : ""} and apply once with ${adopting(objects)}`,
    ADOPT_AND_REMOVE: ({ objects }) =>
      `Yours: declare ${it(objects)} if the code does not, apply once with ${adopting(objects)}, then remove ${it(objects)}${allowing(objects, "", " with ")}`,
    DECLARE_LIVE: () => "Keep it: declare the live values",
    RENAME: () => "Not yours: choose another name",
    LET_GO: ({ objects }) =>
      `Not yours, or to keep: write ${retaining(objects)} for one apply, in which Terraform forgets ${it(objects)}`,
    RETAIN: ({ objects }) => `Keep ${it(objects)} on the service: write ${retaining(objects)}`,
    REMOVE_INSTANCE: ({ address }) => `Remove the instance, which does not touch the service: terraform state rm '${address}'`,
    ALLOW_DELETION: ({ objects, isReplacement }) =>
      `${isReplacement ? "Replace" : "Delete"} ${it(objects)}: write ${allowanceFor(objects)}`,
    UNPROTECT_FIRST: () => "The state still protects what the code does not: apply once without this deletion",
    KEEP: ({ objects }) => `Keep ${it(objects)}: undo the change`,
    UNRETAIN: ({ objects }) => `Replace ${it(objects)}: remove ${it(objects)} from retain`,
    CORRECT_RETAIN: () => "Remove it from retain, or correct it",
    REMOVE_USERS: () => "Change it: register the new one under another name. Remove it: remove its clusters first",
  };
}

/** As in `retain: ["prod"] on the Platform`. */
export function retainingOn({ settings, platform, known }: PlatformOfWords, objects: readonly ObjectRef[]): string {
  return `${retainLine(settings, objects.map(idOf), known)} on ${describePlatform(platform)}`;
}

/** A command names all its objects. Where there is a shorter one, it is for more than these. */
export const NAMED = 10;

/** @param addresses of the objects */
export function applyReplacing(addresses: readonly string[]): string {
  return `terraform apply${addresses.map((address) => ` -replace='${address}'`).join("")}`;
}

/** As for a shell, before a command. */
export function acceptingGone(objects: readonly ObjectRef[]): string {
  const ids = objects.map(idOf);
  return `CLUSTER_PLATFORM_ACCEPT_GONE=${ids.length > NAMED ? `${ids[0]},… (the ids of all ${ids.length})` : ids.join(",")}`;
}

function adopting(objects: readonly ObjectRef[]): string {
  return `CLUSTER_PLATFORM_ADOPT=${objects.map(idOf).join(",")}`;
}

export function it(objects: readonly ObjectRef[]): string {
  return one(objects, "it", "them");
}

function one(objects: readonly ObjectRef[], singular: string, plural: string): string {
  return objects.length === 1 ? singular : plural;
}
