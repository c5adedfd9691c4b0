import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measured } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";
import { synth } from "../stack";

/** The maximum cost of a cluster at 5,000 clusters, relative to 1,000. Quadratic cost would give 5. */
const LINEAR = 1.5;

export const synthesis = ({ synth: { of, runs } }: Sizes): Row => ({
  name: `synth of ${of} clusters, over cdktf's own of as many resources of the same size`,
  goal: 1.5,
  async measure(bench) {
    const folder = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
    const [ours, bare] = [join(folder, "ours"), join(folder, "bare")];
    try {
      const times = [];
      for (const [count, rounds] of runs) {
        const [own, plain] = await measured(rounds, synth("ours", count, ours), synth("bare", count, bare));
        if (count === of) {
          bench.peak(`synth of ${of} clusters`, own.peakMib);
          bench.peak(`synth of ${of} bare resources`, plain.peakMib);
        }
        times.push({ count, own: own.milliseconds, plain: plain.milliseconds, bytes: [sizeIn(ours), sizeIn(bare)] as const });
      }
      const [few, some, many] = [times[0]!, times[1]!, times[2]!];
      const ratio = some.own / some.plain;
      const growth = slope(some, many) / slope(few, some);
      return {
        ratio,
        holds: ratio <= 1.5 && growth <= LINEAR,
        details: [
          ...times.map(
            ({ count, own, plain, bytes }) =>
              `${count}: ${own.toFixed(0)} ms over ${plain.toFixed(0)} ms = ${(own / plain).toFixed(2)} (JSON of ${bytes.map(kib).join(" and ")} KiB)`,
          ),
          `a cluster costs ${slope(few, some).toFixed(2)} ms up to ${some.count} and ${slope(some, many).toFixed(2)} ms from there to ${many.count}: ${growth.toFixed(2)} times (linear is up to ${LINEAR})`,
        ],
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface Timing {
  readonly count: number;
  readonly own: number;
}

/** Milliseconds per cluster. */
function slope(from: Timing, to: Timing): number {
  return (to.own - from.own) / (to.count - from.count);
}

const sizeIn = (outdir: string) => statSync(join(outdir, "stacks/bench/cdk.tf.json")).size;
const kib = (bytes: number) => (bytes / 1024).toFixed(0);
