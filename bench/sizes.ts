export interface Sizes {
  readonly coldStart: { readonly rounds: number };
  readonly apply: { readonly clusters: number; readonly rounds: number };
  /** The numbers of clusters, and how often both sides run. The figure is about the first. */
  readonly generic: { readonly runs: Runs };
  readonly provisioning: { readonly clusters: number; readonly seconds: number };
  readonly waiting: { readonly clusters: readonly number[]; readonly seconds: number };
  /** The numbers of clusters, and how often both sides run. The goal is about the number `of`. */
  readonly synth: { readonly of: number; readonly runs: Runs };
  readonly plan: { readonly of: number; readonly runs: Runs };
  /** Three sizes, for the growth from one to the next. The peak memory is measured with `peaksOf` clusters. */
  readonly providerPlan: { readonly runs: Runs; readonly peaksOf: number };
  readonly review: { readonly resources: number; readonly rounds: number };
  readonly reviewSynth: { readonly clusters: number; readonly rounds: number };
  readonly service: { readonly few: number; readonly many: number; readonly requests: number };
}

export type Runs = readonly (readonly [count: number, rounds: number])[];

/** The sizes for the figures in bench/README.md. */
export const FULL: Sizes = {
  coldStart: { rounds: 40 },
  apply: { clusters: 100, rounds: 2 },
  generic: {
    runs: [
      [100, 3],
      [300, 2],
    ],
  },
  provisioning: { clusters: 100, seconds: 20 },
  waiting: { clusters: [7, 25, 100], seconds: 6 },
  synth: {
    of: 1_000,
    runs: [
      [10, 5],
      [1_000, 5],
      [5_000, 2],
    ],
  },
  plan: {
    of: 1_000,
    runs: [
      [100, 3],
      [1_000, 2],
      [3_000, 1],
    ],
  },
  providerPlan: {
    peaksOf: 1_000,
    runs: [
      [100, 3],
      [1_000, 1],
      [3_000, 1],
    ],
  },
  review: { resources: 5_000, rounds: 7 },
  reviewSynth: { clusters: 1_000, rounds: 7 },
  service: { few: 1_000, many: 10_000, requests: 30 },
};

/** Runs every row within seconds. The figures mean nothing. */
export const TINY: Sizes = {
  coldStart: { rounds: 1 },
  apply: { clusters: 7, rounds: 1 },
  generic: { runs: [[7, 1]] },
  provisioning: { clusters: 7, seconds: 1 },
  waiting: { clusters: [7], seconds: 6 },
  synth: {
    of: 2,
    runs: [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  },
  plan: { of: 2, runs: [[2, 1]] },
  providerPlan: {
    peaksOf: 7,
    runs: [
      [7, 1],
      [8, 1],
      [9, 1],
    ],
  },
  review: { resources: 2, rounds: 1 },
  reviewSynth: { clusters: 2, rounds: 1 },
  service: { few: 2, many: 4, requests: 2 },
};
