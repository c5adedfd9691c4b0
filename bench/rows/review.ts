import { writeFileSync } from "node:fs";
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
    try {
      await timed(stack.terraform("plan", "-input=false", "-out=plan"));
      const file = join(stack.folder, "plan.json");
      writeFileSync(file, await output(stack.terraform("show", "-json", "plan")));
      const cli = join(__dirname, "../../dist/cli/main.js");
      const ours = { command: process.execPath, args: [cli, "review", "--fail-on", "none", file] };
      const parse = { command: process.execPath, args: ["-e", 'JSON.parse(fs.readFileSync(process.argv[1], "utf8"))', file] };
      const [own, bare] = await measured(rounds, ours, parse);
      bench.peak(`review of ${resources} resources`, own.peakMib);
      bench.peak("JSON.parse of the same plan", bare.peakMib);
      return {
        ratio: own.milliseconds / bare.milliseconds,
        details: [`${own.milliseconds.toFixed(0)} ms over ${bare.milliseconds.toFixed(0)} ms, medians of ${rounds}`],
      };
    } finally {
      stack.remove();
    }
  },
});
