import { Engine } from "cdktf-cluster-platform";
import { PLUGIN_READY_TYPE } from "../src/contract/addresses";
import { copied, withCopies } from "./copied-state";
import { fleet, nthCluster, PROVIDERS, secrets } from "./fleet";
import { nameIn } from "./go-plugin";
import { timed } from "./processes";
import type { Service } from "./service";
import { Stack } from "./stack";

/** A fleet by the provider, and plain blocks with the same arguments. Both have their state. */
export interface AppliedFleet {
  readonly fleet: Stack;
  readonly blocks: Stack;
}

/** Applies one cluster of each type and one more. The others are copies of the last one, on the service and in the state. */
export async function appliedFleet(count: number, service: Service): Promise<AppliedFleet> {
  const sample = PROVIDERS;
  const env = { ...service.env, ...secrets };
  const few = await declared(Math.min(count, sample + 1));
  const many = await declared(count);
  try {
    for (const stack of [few.fleet, few.blocks]) await timed({ ...stack.apply(), env });
    const last = (await service.calls()).find(({ body }) => body && nameIn(body) === nthCluster(sample).name);
    const others = Array.from({ length: Math.max(0, count - sample - 1) }, (_, index) => index + sample + 1);
    await service.add(others.map((index) => copied(last!.body, sample, index)));
    for (const what of ["fleet", "blocks"] as const) {
      many[what].writeState(withCopies(few[what].readState(), sample, others));
    }
    // One resource lists all objects.
    await timed({ ...many.fleet.update("-refresh=false"), env });
    return many;
  } finally {
    few.fleet.remove();
    few.blocks.remove();
  }
}

async function declared(count: number): Promise<AppliedFleet> {
  const clusters = await (await fleet(count, { engine: Engine.PROVIDER })).init();
  return { fleet: clusters, blocks: await Stack.of(sameArguments(clusters)).init() };
}

/** A block of terraform_data for each object, with the same arguments. */
function sameArguments(stack: Stack): object {
  const { [PLUGIN_READY_TYPE]: _, ...objects } = stack.read().resource as Record<
    string,
    Record<string, { [argument: string]: unknown }>
  >;
  const blocks = Object.entries(objects).flatMap(([type, ofType]) =>
    Object.entries(ofType).map(([id, block]) => {
      // A reference to a resource of the provider.
      const { provider: _, provider_name: __, "//": ___, ...input } = block;
      return [`${type}-${id}`, { input }];
    }),
  );
  return { resource: { terraform_data: Object.fromEntries(blocks) as object } };
}
