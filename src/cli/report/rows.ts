import type { Risk } from "./finding";
import type { Phrase } from "./phrase";

/** One line of a report. */
export interface Row {
  readonly stack: string | null;
  readonly risk: Risk;
  readonly verdict: string;
  readonly object: Phrase;
  /** Empty if the verdict says it. */
  readonly happens: Phrase;
  readonly why: Phrase;
  /** By a gate. */
  readonly denied?: boolean;
}
