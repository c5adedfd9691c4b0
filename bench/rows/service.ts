import { join } from "node:path";
import { output } from "../processes";
import type { Row } from "../row";
import { Service } from "../service";
import type { Sizes } from "../sizes";

/** The maximum cost of a listed cluster at 10,000 clusters, relative to 1,000. Quadratic cost would give 10. */
const LINEAR = 2;

export const embeddedService = ({ service: { few: FEW, many: MANY, requests } }: Sizes): Row => ({
  name: `embedded service: what a listed cluster costs at ${MANY} clusters, over what it costs at ${FEW}`,
  goal: "stated, no quadratic growth",
  async measure(bench) {
    const [few, many] = [await listing(FEW, requests), await listing(MANY, requests)];
    const ratio = many.listMs / MANY / (few.listMs / FEW);
    bench.peak(`embedded service with ${MANY} clusters`, many.servicePeak);
    bench.peak(`client that lists ${MANY} clusters`, many.peakKib / 1024);
    return {
      ratio,
      holds: ratio <= LINEAR,
      details: [few, many].map(
        ({ clusters, listMs, findMs }) =>
          `${clusters} clusters: ${(1000 / (listMs + findMs)).toFixed(0)} requests/s, read by the client; its find takes ${(findMs * 1000).toFixed(0)} µs of ${(listMs + findMs).toFixed(1)} ms`,
      ),
    };
  },
});

interface Listing {
  readonly clusters: number;
  readonly listMs: number;
  readonly findMs: number;
  readonly peakKib: number;
  readonly servicePeak: number;
}

async function listing(clusters: number, requests: number): Promise<Listing> {
  const service = await Service.start({ provisionSeconds: 0, deleteSeconds: 0, clusters });
  const args = [join(__dirname, "../programs/lists.mjs"), String(requests), `cluster-${clusters - 1}`];
  const result = JSON.parse(await output({ command: process.execPath, args, env: service.env })) as Listing;
  return { ...result, clusters, servicePeak: await service.stop() };
}
