import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measured, timed } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";
import { synth } from "../stack";

export const reviewSynth = ({ reviewSynth: { clusters, rounds } }: Sizes): Row => ({
  name: `review --synth of ${clusters} clusters, one of them new, over the synth of the program`,
  goal: 1,
  async measure(bench) {
    const folder = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
    const [base, head] = [join(folder, "base"), join(folder, "head")];
    try {
      await timed(synth("ours", clusters - 1, base));
      const cli = join(__dirname, "../../dist/cli/main.js");
      const program = synth("ours", clusters, head);
      await timed(program);
      const review = { command: process.execPath, args: [cli, "review", "--synth", base, head] };
      const [own, synthesis] = await measured(rounds, review, program);
      bench.peak(`review --synth of ${clusters} clusters`, own.peakMib);
      return {
        ratio: own.milliseconds / synthesis.milliseconds,
        details: [`${own.milliseconds.toFixed(0)} ms over ${synthesis.milliseconds.toFixed(0)} ms, medians of ${rounds}`],
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});
