import { appliedFleet } from "../applied-fleet";
import { secrets } from "../fleet";
import { goPlugin, NO_GO, withGoPlugin } from "../go-plugin";
import { pluginPeakMib } from "../plugin";
import { measured, type Program, seconds } from "../processes";
import { type Bench, type Measured, once, type Row } from "../row";
import { Service } from "../service";
import type { Sizes } from "../sizes";
import type { Stack } from "../stack";

/** The maximum cost of a cluster in a plan of 3,000, relative to 1,000. Quadratic cost would give 3. */
const LINEAR = 1.5;

/** Plans by `Engine.PROVIDER`. The rows share one measurement. */
export function providerPlanRows({ providerPlan }: Sizes): readonly Row[] {
  const plans = once((bench) => measurePlans(providerPlan, bench));
  const { runs } = providerPlan;
  const counts = runs.map(([count]) => count.toLocaleString("en")).join(", ");
  return [
    {
      name: `plan without a change of ${counts} clusters by the provider, over a plugin in Go; the highest ratio`,
      goal: 1,
      measure: async (bench) => plansOverGo(await plans(bench)),
    },
    {
      name: `growth of the time of that plan: cost of a cluster above ${runs.at(-2)?.[0]}, over the cost below`,
      goal: LINEAR,
      measure: async (bench) => growthOf(await plans(bench)),
    },
  ];
}

/** Medians of plans without a change, in milliseconds. */
interface Plans {
  readonly count: number;
  readonly provider: number;
  readonly bare: number;
  readonly inGo?: number;
}

async function measurePlans({ runs, peaksOf }: Sizes["providerPlan"], bench: Bench): Promise<Plans[]> {
  const binary = await goPlugin();
  const plans: Plans[] = [];
  for (const [count, rounds] of runs) {
    const service = await Service.start({ provisionSeconds: 0, deleteSeconds: 0 });
    const stacks: Stack[] = [];
    try {
      const env = { ...service.env, ...secrets };
      const within = (program: Program): Program => ({ ...program, env: { ...program.env, ...env } });
      const { fleet: clusters, blocks } = await appliedFleet(count, service);
      stacks.push(clusters, blocks);
      const go = binary === undefined ? undefined : await withGoPlugin(clusters, binary);
      if (go) stacks.push(go);
      const programs = [clusters, blocks, ...(go ? [go] : [])].map((stack) => within(stack.plan()));
      const measurements = await measured(rounds, ...programs);
      const [provider, bare, inGo] = measurements.map(({ milliseconds }) => milliseconds);
      plans.push({ count, provider: provider!, bare: bare!, inGo });
      if (count !== peaksOf) continue;
      bench.peak(`plan of ${count} clusters by the provider`, measurements[0]!.peakMib);
      const peak = async (what: string, stack: Stack) =>
        bench.peak(`${what}, plan of ${count} clusters`, await pluginPeakMib(stack, (copy) => within(copy.plan())));
      await peak("a process of the provider", clusters);
      if (go) await peak("a process of the plugin in Go", go);
    } finally {
      for (const stack of stacks) stack.remove();
      await service.stop();
    }
  }
  return plans;
}

function plansOverGo(plans: readonly Plans[]): Measured {
  const ratios = plans.map(({ provider, inGo = NaN }) => provider / inGo);
  const bareOnly = plans.map(({ count, provider, bare }) => `${count}: ${seconds(provider)}; terraform_data ${seconds(bare)}`);
  if (plans.some(({ inGo }) => inGo === undefined)) return { ratio: null, details: [NO_GO, ...bareOnly] };
  return {
    ratio: Math.max(...ratios),
    details: plans.map(
      ({ count, provider, bare, inGo }, index) =>
        `${count}: ${seconds(provider)} over ${seconds(inGo!)} = ${ratios[index]!.toFixed(2)}; terraform_data of the same arguments ${seconds(bare)}`,
    ),
  };
}

function growthOf(plans: readonly Plans[]): Measured {
  const [few, some, many] = plans;
  if (!few || !some || !many) return { ratio: null, details: ["it needs three sizes"] };
  const slope = (side: "provider" | "bare" | "inGo", from: Plans, to: Plans) =>
    ((to[side] ?? NaN) - (from[side] ?? NaN)) / (to.count - from.count);
  const growth = (side: "provider" | "bare" | "inGo") => slope(side, some, many) / slope(side, few, some);
  return {
    ratio: growth("provider"),
    details: [
      `a cluster costs ${slope("provider", few, some).toFixed(2)} ms up to ${some.count}, and ${slope("provider", some, many).toFixed(2)} ms from there to ${many.count}`,
      `the plugin in Go: ${growth("inGo").toFixed(2)}; terraform_data: ${growth("bare").toFixed(2)}`,
    ],
  };
}
