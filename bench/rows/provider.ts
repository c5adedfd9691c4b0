import { Engine } from "cdktf-cluster-platform";
import { ServedApply } from "../applies";
import { fleet, PROVIDERS, secrets } from "../fleet";
import { medians, peakMib, timed, seconds } from "../processes";
import type { Row } from "../row";
import { Service } from "../service";
import type { Sizes } from "../sizes";
import { Stack } from "../stack";
import { hooksThatDoNothing } from "./apply";

/** The measurements of apply and plan with `Engine.PROVIDER`. */

export const applyByProvider = ({ apply: { clusters, rounds } }: Sizes): Row => {
  const objects = clusters + PROVIDERS;
  return {
    name: `apply of ${objects} objects by the provider, over as many terraform_data with node -e 0 as their hook`,
    goal: 0.5,
    async measure(bench) {
      const stacks = [
        await fleet(clusters, { engine: Engine.PROVIDER }),
        await fleet(clusters),
        Stack.of(hooksThatDoNothing(objects)),
      ] as const;
      try {
        for (const stack of stacks) await stack.init();
        const [provider, hooks, idle] = stacks;
        const ours = new ServedApply(provider, 0);
        const [own, hooked, bare] = (await medians(rounds, ours.program, new ServedApply(hooks, 0).program, idle.apply())) as [
          number,
          number,
          number,
        ];
        bench.peak(`apply of ${objects} objects by the provider`, await peakMib(ours.program));
        return {
          ratio: own / bare,
          details: [
            `${seconds(own)} over ${seconds(bare)}, medians of ${rounds}; the service runs on the same cores`,
            `${(own / hooked).toFixed(2)} of the ${seconds(hooked)} that hooks take`,
          ],
        };
      } finally {
        for (const stack of stacks) stack.remove();
      }
    },
  };
};

export const planByProvider = ({ providerPlan: { of, runs } }: Sizes): Row => ({
  name: `plan without a change of ${of} clusters by the provider, over as many terraform_data blocks of the same arguments`,
  goal: "stated",
  async measure(bench) {
    const details = [];
    let ratio = 0;
    for (const [count, rounds] of runs) {
      const service = await Service.start({ provisionSeconds: 0, deleteSeconds: 0 });
      const clusters = await (await fleet(count, { engine: Engine.PROVIDER })).init();
      const blocks = await Stack.of(sameArguments(clusters)).init();
      try {
        const env = { ...service.env, ...secrets };
        const apply = clusters.apply();
        await timed({ ...apply, env: { ...apply.env, ...env } });
        await timed(blocks.apply());
        // The exit code tells whether the plan has changes.
        const [ours, plain] = [clusters, blocks].map((stack) => {
          const plan = stack.terraform("plan", "-input=false", "-detailed-exitcode");
          return { ...plan, env: { ...plan.env, ...env } };
        });
        const [own, bare] = (await medians(rounds, ours!, plain!)) as [number, number];
        details.push(`${count}: ${seconds(own)} over ${seconds(bare)} = ${(own / bare).toFixed(2)}`);
        if (count === of) {
          ratio = own / bare;
          bench.peak(`plan of ${count} clusters by the provider`, await peakMib(ours!));
        }
      } finally {
        clusters.remove();
        blocks.remove();
        await service.stop();
      }
    }
    return { ratio, details };
  },
});

/** A block of terraform_data for each block of the provider, with the same arguments. */
function sameArguments(stack: Stack): object {
  const resources = stack.read().resource as Record<string, Record<string, { [argument: string]: unknown }>>;
  const blocks = Object.entries(resources).flatMap(([type, ofType]) =>
    Object.entries(ofType).map(([id, block]) => {
      const { provider: _, provider_name: __, objects: ___, "//": ____, ...input } = block;
      return [`${type}-${id}`, { input }];
    }),
  );
  return { resource: { terraform_data: Object.fromEntries(blocks) as object } };
}
