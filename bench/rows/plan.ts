import { medians, peakMib, seconds } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";
import { Stack } from "../stack";

export const plan = ({ plan: { of, runs } }: Sizes): Row => ({
  name: `plan without a change of ${of} clusters, over as many terraform_data blocks of the same triggers`,
  goal: 1.4,
  async measure(bench) {
    const details = [];
    let ratio = 0;
    for (const [count, rounds] of runs) {
      const clusters = await (await Stack.ofClusters(count)).init();
      const blocks = await Stack.of(separateBlocks(clusters)).init();
      try {
        await clusters.adoptState();
        await blocks.adoptState();
        const [ours, plain] = [clusters.plan(), blocks.plan()];
        const [own, bare] = (await medians(rounds, ours, plain)) as [number, number];
        details.push(`${count}: ${seconds(own)} over ${seconds(bare)} = ${(own / bare).toFixed(2)}`);
        if (count === of) {
          ratio = own / bare;
          bench.peak(`plan of ${count} clusters`, await peakMib(ours));
          bench.peak(`plan of ${count} terraform_data blocks`, await peakMib(plain));
        }
      } finally {
        clusters.remove();
        blocks.remove();
      }
    }
    return { ratio, details };
  },
});

/** A block for each cluster, with the same triggers. */
function separateBlocks(clusters: Stack): object {
  const { capvs_clusters } = clusters.read().locals as { capvs_clusters: Record<string, string> };
  return {
    resource: {
      terraform_data: Object.fromEntries(
        Object.entries(capvs_clusters).map(([name, entry]) => {
          const { triggers } = JSON.parse(entry) as { triggers: object };
          return [name, { triggers_replace: asText(triggers) }];
        }),
      ),
    },
  };
}

/** Triggers are text, so other values are converted. */
function asText(triggers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(triggers).map(([key, value]) => [key, String(value)]));
}
