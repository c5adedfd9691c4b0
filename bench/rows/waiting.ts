import { ServedApply } from "../applies";
import { fleet } from "../fleet";
import { timed } from "../processes";
import type { Row } from "../row";

const CLUSTERS = 100;
const PROVISION_SECONDS = 20;

export const provisioning: Row = {
  name: `apply of ${CLUSTERS} clusters that take ${PROVISION_SECONDS} s each, over ${PROVISION_SECONDS} s`,
  goal: 1.7,
  async measure() {
    const stack = await (await fleet(CLUSTERS)).init();
    try {
      const milliseconds = await timed(new ServedApply(stack, PROVISION_SECONDS).program);
      return {
        ratio: milliseconds / (PROVISION_SECONDS * 1000),
        details: [
          `${(milliseconds / 1000).toFixed(1)} s with the default parallelism of 10 and the default poll of 5 s, one run`,
        ],
      };
    } finally {
      stack.remove();
    }
  },
};

/** One interval between two looks, in seconds. */
const POLL_SECONDS = 1;
const WATCHED_SECONDS = 6;

export const callsWhileWaiting: Row = {
  name: "service calls per poll interval while waiting for N clusters",
  goal: 1,
  async measure() {
    const counts = [];
    for (const clusters of [7, 25, 100]) counts.push({ clusters, perInterval: await callsPerInterval(clusters) });
    return {
      ratio: Math.max(...counts.map(({ perInterval }) => perInterval)),
      details: [counts.map(({ clusters, perInterval }) => `${clusters} clusters: ${perInterval.toFixed(2)}`).join(", ")],
    };
  },
};

async function callsPerInterval(clusters: number): Promise<number> {
  const stack = await (await fleet(clusters, POLL_SECONDS)).init();
  try {
    const ours = new ServedApply(stack, WATCHED_SECONDS);
    await timed(ours.program);
    // The first look sees to the providers, too; the last one is early, to confirm what the one before it found.
    const looks = ours.phases.waiting.filter(({ path }) => path === "/api/v1/clusters");
    const others = ours.phases.waiting.length - looks.length;
    const waiting = looks.slice(0, -1);
    if (others > 1) throw new Error(`${others} other calls while waiting`);
    const intervals = (waiting.at(-1)!.at - waiting[0]!.at) / (POLL_SECONDS * 1000);
    return (waiting.length - 1) / intervals;
  } finally {
    stack.remove();
  }
}
