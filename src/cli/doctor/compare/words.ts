import { platformOfPrefix } from "../../../contract/addresses";
import type { LifecycleError } from "../../../lifecycle/lifecycle-error";
import { type Refused, refusedDeletion } from "../../../lifecycle/refused-deletion";
import { commonWords, inWords, type Words } from "../../../lifecycle/remedy-words";
import { describePlatform } from "../../../lifecycle/wording";
import type { StackPlatform } from "../stack";

const PLURALS = {
  is: "are",
  uses: "use",
  it: "them",
  "it is": "they are",
  "that address": "those addresses",
  "has changed": "have changed",
  "is tainted": "are tainted",
  "left the code": "left the code",
} as const;

/** The word for one or for several items. */
export function inNumber(items: readonly unknown[], word: keyof typeof PLURALS): string {
  return items.length === 1 ? word : PLURALS[word];
}

export const SET_PROVIDER_ENGINE = "Set engine: Engine.PROVIDER again, or migrateFrom: Engine.PROVIDER as docs/engines.md says";
export const RESTORE_PLATFORM = "Restore the Platform, or replace it by a RetiredPlatform with its props";

export function platformAt(prefix: string): string {
  return describePlatform(platformOfPrefix(prefix));
}

type Described = Pick<StackPlatform, "prefix" | "settings">;

/**
 * The words of remedies that the engines share.
 * @param known all objects of the Platform, if those that a setting names can have short names
 */
export function wordsOf({ prefix, settings }: Described, known?: readonly string[]) {
  return commonWords({ settings, platform: platformOfPrefix(prefix), known, replacing: () => "terraform apply" });
}

/** That a run fails like this. */
export function failingRun(platform: Described, error: LifecycleError, run: "an apply" | "a plan" = "an apply"): string {
  return `${error.failure.summary}: ${run} will fail. ${waysOut(platform, error)}`;
}

/** The ways out of a deletion that an apply refuses. */
export function waysOutOfDeletion(platform: Described, refused: Refused, known?: readonly string[], instead?: Partial<Words>) {
  return waysOut(platform, refusedDeletion(refused, { otherwise: "nothing was deleted" }), known, instead);
}

/**
 * The ways out that an apply names when it fails like this, and the code of the error.
 * @param instead words that fit better here
 */
export function waysOut(
  platform: Described,
  { code, failure }: LifecycleError,
  known?: readonly string[],
  instead: Partial<Words> = {},
): string {
  return `${inWords(failure.remedies, () => ({ ...wordsOf(platform, known), ...instead }))} [${code}]`;
}
