/** One line of the table. */
export interface Row {
  readonly name: string;
  /** What the ratio may be at most; words where the figure is only stated; null where nothing is asked of it. */
  readonly goal: number | string | null;
  measure(bench: Bench): Promise<Measured>;
}

export interface Measured {
  /** The figure that the goal is about: a ratio, or the count where the row counts. null: it could not be measured. */
  readonly ratio: number | null;
  /** Whether the goal is met, where that is more than `ratio <= goal`. */
  readonly holds?: boolean;
  /** How it came about, a line each. */
  readonly details: readonly string[];
}

/** What `--json` writes, an array of these in the order of the table. */
export interface Result {
  readonly name: string;
  readonly ratio: number | null;
  readonly goal: number | string | null;
}

/** What rows leave for later ones. */
export class Bench {
  /** Peak resident set by what ran, in MiB; of Terraform with hooks the largest process. */
  readonly peaks = new Map<string, number>();
  /** Service calls per created object, counted while applies were timed. */
  callsPerObject: number | undefined;

  peak(what: string, mib: number | undefined): void {
    if (mib !== undefined) this.peaks.set(what, mib);
  }
}

/** Whether a row's goal is met; a figure that could not be had meets none. */
export function holds(
  { goal }: Row,
  { ratio, holds = typeof goal !== "number" || (ratio ?? Infinity) <= goal }: Measured,
): boolean {
  return ratio !== null && holds;
}
