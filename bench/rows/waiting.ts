import { ServedApply } from "../applies";
import { fleet } from "../fleet";
import { timed } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";

export const provisioning = ({ provisioning: { clusters, seconds } }: Sizes): Row => ({
  name: `apply of ${clusters} clusters that take ${seconds} s each, over ${seconds} s`,
  goal: 1.7,
  async measure() {
    const stack = await (await fleet(clusters)).init();
    try {
      const milliseconds = await timed(new ServedApply(stack, seconds).program);
      return {
        ratio: milliseconds / (seconds * 1000),
        details: [
          `${(milliseconds / 1000).toFixed(1)} s with the default parallelism of 10 and the default poll of 5 s, one run`,
        ],
      };
    } finally {
      stack.remove();
    }
  },
});

/** Time between two polls, in seconds. */
const POLL_SECONDS = 1;

export const callsWhileWaiting = ({ waiting: { clusters: counts, seconds } }: Sizes): Row => ({
  name: "service calls per poll interval while waiting for N clusters",
  goal: 1,
  async measure() {
    const calls = await Promise.all(
      counts.map(async (clusters) => ({ clusters, perInterval: await callsPerInterval(clusters, seconds) })),
    );
    return {
      ratio: Math.max(...calls.map(({ perInterval }) => perInterval)),
      details: [calls.map(({ clusters, perInterval }) => `${clusters} clusters: ${perInterval.toFixed(2)}`).join(", ")],
    };
  },
});

/**
 * All calls from the second poll of the clusters to the last one that finds some not ready, divided by the number of intervals
 * between these polls. The first poll also lists providers, and the polls after the last one confirm that all clusters are
 * ready.
 */
async function callsPerInterval(clusters: number, seconds: number): Promise<number> {
  const stack = await (await fleet(clusters, { pollSeconds: POLL_SECONDS })).init();
  try {
    const ours = new ServedApply(stack, seconds);
    await timed(ours.program);
    const { creating, waiting } = ours.phases;
    const ready = creating.at(-1)!.at + seconds * 1000;
    const looks = waiting.filter(({ path, at }) => path === "/api/v1/clusters" && at < ready);
    if (looks.length < 3) throw new Error(`the wait looked ${looks.length} times only`);
    const [second, last] = [looks[1]!, looks.at(-1)!];
    const calls = waiting.slice(waiting.indexOf(second) + 1, waiting.indexOf(last) + 1);
    return calls.length / ((last.at - second.at) / (POLL_SECONDS * 1000));
  } finally {
    stack.remove();
  }
}
