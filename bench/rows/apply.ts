import { ServedApply } from "../applies";
import { fleet, PROVIDERS } from "../fleet";
import { medians, peakMib, timed } from "../processes";
import type { Row } from "../row";
import { Stack } from "../stack";

const CLUSTERS = 100;
const OBJECTS = CLUSTERS + PROVIDERS;
/** Every object has one, and two wait for all of them. */
const HOOKS = OBJECTS + 2;
const ROUNDS = 5;

export const apply: Row = {
  name: `apply of ${CLUSTERS} clusters and ${PROVIDERS} providers, over ${HOOKS} terraform_data with node -e 0 as their hook`,
  goal: 1.5,
  async measure(bench) {
    const stack = await (await fleet(CLUSTERS)).init();
    const plain = await Stack.of(hooksThatDoNothing(HOOKS)).init();
    try {
      const ours = new ServedApply(stack, 0);
      const [served, bare] = (await medians(ROUNDS, ours.program, plain.apply())) as [number, number];
      bench.peak(`apply of ${OBJECTS} objects`, await peakMib(ours.program));
      bench.peak(`apply of ${HOOKS} terraform_data`, await peakMib(plain.apply()));
      bench.peak("embedded service during it", ours.servicePeak);
      bench.callsPerObject = ours.phases.creating.length / OBJECTS;
      return {
        ratio: served / bare,
        details: [
          `${seconds(served)} over ${seconds(bare)}, medians of ${ROUNDS}; the service runs on the same cores`,
          `${ours.calls.length} calls: ${ours.phases.creating.length} to create, ${ours.phases.waiting.length} to wait`,
        ],
      };
    } finally {
      stack.remove();
      plain.remove();
    }
  },
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

function hooksThatDoNothing(count: number): object {
  return {
    resource: {
      terraform_data: {
        plain: {
          for_each: `\${toset([for index in range(${count}) : tostring(index)])}`,
          triggers_replace: { name: "${each.key}" },
          provisioner: [{ "local-exec": { interpreter: ["node", "-e"], command: "0" } }],
        },
      },
    },
  };
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
