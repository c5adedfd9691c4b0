import { idOf, type ObjectRef } from "../model/object-ref";
import { allowDeletionLine, isProtected, type ProtectionSettings, retainLine } from "../model/protection";
import type { Occasion, Remedy } from "./remedy";
import { describeObject, describePlatform, enumerated, sentences } from "./wording";

type Coded<Code extends Remedy["code"]> = Extract<Remedy, { readonly code: Code }>;

/** What people read: a sentence without its full stop for each remedy. */
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

/** The remedies as one text without its last full stop. Undefined if there is nothing to say. */
export function inWords(remedies: readonly Remedy[], words: () => Partial<Words>): string | undefined {
  return sentences(...remedies.map((remedy) => sentenceOf(remedy, words)));
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
  const protectedAmong = (objects: readonly ObjectRef[]) => objects.filter((object) => isProtected(settings, idOf(object)));
  return {
    APPLY: ({ when }) => OCCASIONS[when],
    APPLY_PLAIN: () => "Apply again without this variable and without -replace",
    CONTINUE_ELSEWHERE: ({ objects }) =>
      `If an apply on another machine says that the name is taken, apply once with ${adopting(objects)}`,
    CORRECT_URL: () => "If the URL is wrong, correct it",
    ACCEPT_GONE: ({ objects, orNeverCreated }) =>
      `If ${one(objects, "the object is", "they are")} really gone${orNeverCreated ? ` or ${one(objects, "was", "were")} never created` : ""}, run once with ${acceptingGone(objects)}`,
    REPLACE: ({ objects }) => {
      const kept = protectedAmong(objects);
      const permission = kept.length > 0 ? `with ${allowanceFor(kept)}, ` : "";
      return `To delete ${it(objects)} with everything on ${it(objects)} and create ${it(objects)} again: ${permission}${replacing(objects)}`;
    },
    ADOPT: ({ objects, isRenamed }) =>
      `If this stack should manage ${it(objects)}, declare ${one(objects, "its", "their")} live values${isRenamed ? `, the name ${objects[0]!.name} included,` : ""} and write adopt: true, or apply once with ${adopting(objects)}`,
    ADOPT_AND_REMOVE: ({ objects }) => {
      const kept = protectedAmong(objects);
      return `If ${named(objects)} this stack's: declare ${it(objects)} again if the code does not, apply once with ${adopting(objects)}, and then remove ${it(objects)}${kept.length > 0 ? ` with ${allowanceFor(kept)}` : ""}`;
    },
    DECLARE_LIVE: () => "Declare the live values and apply again, which keeps the object",
    RENAME: () => "If it belongs to somebody else, choose another name",
    LET_GO: ({ objects }) =>
      `If ${named(objects)} somebody else's or must stay, write ${retaining(objects)} for one apply. Nothing is sent then, and Terraform forgets ${it(objects)}`,
    RETAIN: ({ objects }) =>
      `To remove ${it(objects)} from the code and keep ${it(objects)} on the service, write ${retaining(objects)}`,
    CORRECT_DECLARATION: ({ objects }) =>
      `If the service has the declared values already and only the state has others, write ${retaining(objects)} and adopt: true on ${it(objects)} for one apply. Nothing is sent then`,
    MOVE_BACK: ({ from, to }) =>
      `Move it back: terraform state mv '${from}' '${to}'. If the state has ${to} already and that is tainted, first run terraform state rm '${to}'. If it is there and not tainted, run only terraform state rm '${from}'. None of these commands touches the service`,
    REMOVE_INSTANCE: ({ address }) => `Remove the instance: terraform state rm '${address}'. That does not touch the service`,
    ALLOW_DELETION: ({ objects }) => `To delete ${it(objects)}, write ${allowanceFor(objects)} in the same change`,
    UNPROTECT_FIRST: () =>
      "Only the state protects the object: if the code no longer does, first apply the code without this deletion, which removes the protection from the state. If the block has ignore_changes = all, the state keeps the protection: list single attributes there",
    KEEP: ({ objects }) => `To keep ${it(objects)}, undo what causes the replacement`,
    UNRETAIN: ({ objects }) =>
      `To delete ${it(objects)} with everything on ${it(objects)} and create ${it(objects)} again, remove ${it(objects)} from retain`,
    CORRECT_RETAIN: () => "Remove it from retain, or correct it",
    REMOVE_USERS: () => "To change it, register the new one under another name, or remove the clusters first",
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

/** With its verb, as in `cluster prod is`. */
function named(objects: readonly ObjectRef[]): string {
  return `${enumerated(objects.map(describeObject))} ${one(objects, "is", "are")}`;
}

export function it(objects: readonly ObjectRef[]): string {
  return one(objects, "it", "them");
}

function one(objects: readonly ObjectRef[], singular: string, plural: string): string {
  return objects.length === 1 ? singular : plural;
}
