import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { medians, output, peakMib, timed } from "../processes";
import type { Row } from "../row";
import { Stack } from "../stack";

const RESOURCES = 5_000;
const ROUNDS = 7;

export const review: Row = {
  name: `review of a plan of ${RESOURCES} resources, over JSON.parse of it in a bare node`,
  goal: 2,
  async measure(bench) {
    const stack = await (await Stack.ofClusters(RESOURCES)).init();
    try {
      await timed(stack.terraform("plan", "-input=false", "-out=plan"));
      const file = join(stack.folder, "plan.json");
      writeFileSync(file, await output(stack.terraform("show", "-json", "plan")));
      const cli = join(__dirname, "../../dist/cli/main.js");
      const ours = { command: process.execPath, args: [cli, "review", file] };
      const parse = { command: process.execPath, args: ["-e", 'JSON.parse(fs.readFileSync(process.argv[1], "utf8"))', file] };
      const [own, bare] = (await medians(ROUNDS, ours, parse)) as [number, number];
      bench.peak(`review of ${RESOURCES} resources`, await peakMib(ours));
      bench.peak("JSON.parse of the same plan", await peakMib(parse));
      return { ratio: own / bare, details: [`${own.toFixed(0)} ms over ${bare.toFixed(0)} ms, medians of ${ROUNDS}`] };
    } finally {
      stack.remove();
    }
  },
};
