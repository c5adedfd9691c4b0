import { ServedApply } from "../applies";
import { fleet, PROVIDERS } from "../fleet";
import { medians, peakMib, timed, seconds } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";
import { Stack } from "../stack";
import { terraformData } from "./provider";

export const apply = ({ apply: { clusters, rounds } }: Sizes): Row => {
  const objects = clusters + PROVIDERS;
  // One hook per object, and two hooks that wait for all of them.
  const hooks = objects + 2;
  return {
    name: `apply of ${clusters} clusters and ${PROVIDERS} providers, over ${hooks} terraform_data with node -e 0 as their hook`,
    goal: 1.5,
    async measure(bench) {
      const stack = await (await fleet(clusters)).init();
      const plain = await Stack.of(terraformData(hooks, ["create"])).init();
      try {
        const ours = new ServedApply(stack, 0);
        const [served, bare] = (await medians(rounds, ours.program, plain.apply())) as [number, number];
        bench.peak(`apply of ${objects} objects`, await peakMib(ours.program));
        bench.peak(`apply of ${hooks} terraform_data`, await peakMib(plain.apply()));
        bench.peak("embedded service during it", ours.servicePeak);
        bench.callsPerObject = ours.phases.creating.length / objects;
        return {
          ratio: served / bare,
          details: [
            `${seconds(served)} over ${seconds(bare)}, medians of ${rounds}; the service runs on the same cores`,
            `${ours.calls.length} calls: ${ours.phases.creating.length} to create, ${ours.phases.waiting.length} to wait`,
          ],
        };
      } finally {
        stack.remove();
        plain.remove();
      }
    },
  };
};

export const callsPerObject: Row = {
  name: "service calls per created object, wait aside",
  goal: 3,
  async measure(bench) {
    return { ratio: bench.callsPerObject ?? (await callsOfOneApply()), details: ["counted by the embedded service"] };
  },
};

async function callsOfOneApply(): Promise<number> {
  const stack = await (await fleet(PROVIDERS)).init();
  try {
    const ours = new ServedApply(stack, 0);
    await timed(ours.program);
    return ours.phases.creating.length / (2 * PROVIDERS);
  } finally {
    stack.remove();
  }
}
