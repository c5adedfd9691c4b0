import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measured, output, timed } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";
import { Stack } from "../stack";

export const review = ({ review: { resources, rounds } }: Sizes): Row => ({
  name: `review of a plan of ${resources} resources, over JSON.parse of it in a bare node`,
  goal: 2,
  async measure(bench) {
    const stack = await (await Stack.ofClusters(resources)).init();
    const apart = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
    try {
      await timed(stack.terraform("plan", "-input=false", "-out=plan"));
      const json = await output(stack.terraform("show", "-json", "plan"));
      const [file, inStack] = [join(apart, "plan.json"), join(stack.folder, "plan.json")] as const;
      for (const each of [file, inStack]) writeFileSync(each, json);
      const cli = join(__dirname, "../../dist/cli/main.js");
      const reviewOf = (plan: string) => ({ command: process.execPath, args: [cli, "review", "--fail-on", "none", plan] });
      const parse = { command: process.execPath, args: ["-e", 'JSON.parse(fs.readFileSync(process.argv[1], "utf8"))', file] };
      const [own, bare, compared] = await measured(rounds, reviewOf(file), parse, reviewOf(inStack));
      bench.peak(`review of ${resources} resources`, own.peakMib);
      bench.peak("JSON.parse of the same plan", bare.peakMib);
      const milliseconds = (measurement: typeof own) => `${measurement.milliseconds.toFixed(0)} ms`;
      return {
        ratio: own.milliseconds / bare.milliseconds,
        details: [
          `${milliseconds(own)} over ${milliseconds(bare)}, medians of ${rounds}`,
          `in the folder of the stack, which is synthesized again and compared: ${milliseconds(compared)}`,
        ],
      };
    } finally {
      stack.remove();
      rmSync(apart, { recursive: true });
    }
  },
});
