import { withCopies } from "../copied-state";
import { measured, seconds, timed } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";
import { Stack } from "../stack";

export const plan = ({ plan: { of, runs } }: Sizes): Row => ({
  name: `plan without a change of ${of} clusters, over as many terraform_data blocks of the same triggers`,
  goal: 1.4,
  async measure(bench) {
    const details = [];
    let ratio = 0;
    const sample = await applied(1);
    try {
      for (const [count, rounds] of runs) {
        const { clusters, blocks } = await declared(count);
        try {
          const others = Array.from({ length: count - 1 }, (_, index) => index + 1);
          clusters.writeState(withCopies(sample.clusters.readState(), 0, others));
          blocks.writeState(withCopies(sample.blocks.readState(), 0, others));
          // Some resources of the Platform list all clusters.
          await clusters.updateState();
          const [own, bare] = await measured(rounds, clusters.plan(), blocks.plan());
          const ratioOf = own.milliseconds / bare.milliseconds;
          details.push(`${count}: ${seconds(own.milliseconds)} over ${seconds(bare.milliseconds)} = ${ratioOf.toFixed(2)}`);
          if (count !== of) continue;
          ratio = ratioOf;
          bench.peak(`plan of ${count} clusters`, own.peakMib);
          bench.peak(`plan of ${count} terraform_data blocks`, bare.peakMib);
        } finally {
          clusters.remove();
          blocks.remove();
        }
      }
    } finally {
      sample.clusters.remove();
      sample.blocks.remove();
    }
    return { ratio, details };
  },
});

interface Sides {
  readonly clusters: Stack;
  readonly blocks: Stack;
}

async function applied(count: number): Promise<Sides> {
  const { clusters, blocks } = await declared(count);
  await clusters.updateState();
  await timed(blocks.update());
  return { clusters, blocks };
}

async function declared(count: number): Promise<Sides> {
  const clusters = await (await Stack.ofClusters(count)).init();
  return { clusters, blocks: await Stack.of(separateBlocks(clusters)).init() };
}

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
