export interface Row {
  readonly name: string;
  /** The maximum of the ratio. A text if the row only shows a figure, null if it has no goal. */
  readonly goal: number | string | null;
  measure(bench: Bench): Promise<Measured>;
}

export interface Measured {
  /** The measured ratio or count. Null if it could not be measured. */
  readonly ratio: number | null;
  /** Whether the goal is met, if `ratio <= goal` is not enough. */
  readonly holds?: boolean;
  /** The figures behind the ratio, one line each. */
  readonly details: readonly string[];
}

/** An entry of the array that `--json` writes. */
export interface Result {
  readonly name: string;
  readonly ratio: number | null;
  readonly goal: number | string | null;
}

/** Figures that rows pass to the row about memory. */
export class Bench {
  /** Peak resident set by program, in MiB. For Terraform with hooks, that of the largest process. */
  readonly peaks = new Map<string, number>();

  peak(what: string, mib: number | undefined): void {
    if (mib !== undefined) this.peaks.set(what, mib);
  }
}

/** Whether a row's goal is met. A figure that could not be measured meets no goal. */
export function holds(
  { goal }: Row,
  { ratio, holds = typeof goal !== "number" || (ratio ?? Infinity) <= goal }: Measured,
): boolean {
  return ratio !== null && holds;
}

/** A measurement that several rows share. */
export function once<Result>(measure: (bench: Bench) => Promise<Result>): (bench: Bench) => Promise<Result> {
  let result: Promise<Result> | undefined;
  return (bench) => (result ??= measure(bench));
}
