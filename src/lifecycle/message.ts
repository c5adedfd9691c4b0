import type { ClusterPlatformError } from "../model/errors";
import { LifecycleError } from "./lifecycle-error";
import { remediesOf } from "./remedies-of";
import { inWords, type Words } from "./remedy-words";
import { enumerated } from "./wording";

/** A failure as people read it, at a terminal in two lines. */
export interface Message {
  /** Code, place, and what happened. */
  readonly summary: string;
  /** What is known besides. */
  readonly detail: string | undefined;
  /** The ways out, each with the case that it is for. */
  readonly remedies: string | undefined;
}

/** @param places paths of the constructs that declare the objects */
export function messageOf(error: ClusterPlatformError, words: () => Words, places: readonly string[] = []): Message {
  const { summary, detail } = error instanceof LifecycleError ? error.failure : { summary: error.message };
  const place = places.length > 0 ? `${enumerated(places)}: ` : "";
  return {
    summary: `[${error.code}] ${place}${summary}`,
    detail,
    remedies: inWords(remediesOf(error), words, error.code),
  };
}
