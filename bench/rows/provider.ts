import { Engine } from "cdktf-cluster-platform";
import { appliedFleet } from "../applied-fleet";
import { ServedApply } from "../applies";
import { fleet, PROVIDERS, secrets } from "../fleet";
import { goPlugin, NO_GO, withGoPlugin } from "../go-plugin";
import { pluginPeakMib } from "../plugin";
import { medians, peakMib, type Program, seconds, timed } from "../processes";
import type { Bench, Measured, Row } from "../row";
import { Service } from "../service";
import type { Sizes } from "../sizes";
import { Stack } from "../stack";

/** The maximum cost of a cluster in a plan of 3,000, relative to 1,000. Quadratic cost would give 3. */
const LINEAR = 1.5;

/** The goals of `Engine.PROVIDER`. Rows about the same runs share one measurement. */
export function providerRows({ providerApply: { clusters, rounds }, providerPlan }: Sizes): readonly Row[] {
  const objects = clusters + PROVIDERS;
  const applies = once((bench) => measureApplies(clusters, rounds, bench));
  const plans = once((bench) => measurePlans(providerPlan, bench));
  const { runs } = providerPlan;
  const counts = runs.map(([count]) => count.toLocaleString("en")).join(", ");
  return [
    ...(["apply", "destroy"] as const).flatMap((what): Row[] => [
      {
        name: `${what} of ${objects} objects by the provider, over as many terraform_data with node -e 0 as their hook`,
        goal: 0.5,
        async measure(bench) {
          const { provider, hooks, idle, bare } = (await applies(bench))[what];
          return {
            ratio: provider / idle,
            details: [
              `${seconds(provider)} over ${seconds(idle)}, medians of ${rounds}; the service runs on the same cores`,
              `our hooks take ${seconds(hooks)}, and terraform_data without hooks ${seconds(bare)}`,
            ],
          };
        },
      },
      {
        name: `${what} of ${objects} objects by the provider, over a plugin in Go with the same requests`,
        goal: 1.5,
        async measure(bench) {
          const { provider, inGo, calls } = (await applies(bench))[what];
          if (inGo === undefined) return { ratio: null, details: [NO_GO] };
          return {
            ratio: provider / inGo,
            details: [
              `${seconds(provider)} over ${seconds(inGo)}; ${calls.provider} calls, and ${calls.inGo} by the plugin in Go`,
            ],
          };
        },
      },
    ]),
    {
      name: `plan without a change of ${counts} clusters by the provider, over a plugin in Go; the highest ratio`,
      goal: 1.5,
      measure: async (bench) => plansOverGo(await plans(bench)),
    },
    {
      name: `growth of the time of that plan: cost of a cluster above ${runs.at(-2)?.[0]}, over the cost below`,
      goal: LINEAR,
      measure: async (bench) => growthOf(await plans(bench)),
    },
  ];
}

function once<Result>(measure: (bench: Bench) => Promise<Result>): (bench: Bench) => Promise<Result> {
  let result: Promise<Result> | undefined;
  return (bench) => (result ??= measure(bench));
}

/** Medians in milliseconds. */
interface Applies {
  readonly provider: number;
  readonly hooks: number;
  readonly idle: number;
  readonly bare: number;
  readonly inGo?: number;
  readonly calls: { readonly provider: number; readonly inGo?: number };
}

async function measureApplies(clusters: number, rounds: number, bench: Bench): Promise<Record<"apply" | "destroy", Applies>> {
  const objects = clusters + PROVIDERS;
  const stacks = [
    await fleet(clusters, { engine: Engine.PROVIDER }),
    await fleet(clusters),
    Stack.of(terraformData(objects, ["create", "destroy"])),
    Stack.of(terraformData(objects, [])),
  ] as const;
  const others: Stack[] = [];
  try {
    for (const stack of stacks) await stack.init();
    const [provider, hooks, idle, bare] = stacks;
    const own = served(provider);
    // Records the requests that the plugin in Go repeats.
    await timed(own.program);
    await timed(own.destroy);
    const binary = await goPlugin();
    const go = binary === undefined ? undefined : await withGoPlugin(provider, binary, own.calls);
    if (go) others.push(go);
    const inGo = go && served(go);
    const hooked = served(hooks);
    const sides = [
      [own.program, own.destroy],
      [hooked.program, hooked.destroy],
      [idle.apply(), idle.destroy()],
      [bare.apply(), bare.destroy()],
      ...(inGo ? [[inGo.program, inGo.destroy]] : []),
    ];
    const times = await medians(rounds, ...sides.flat());
    const peak = (what: string, stack: Stack) =>
      pluginPeakMib(stack, (copy) => new ServedApply(copy, 0).program).then((mib) => bench.peak(what, mib));
    bench.peak(`apply of ${objects} objects by the provider`, await peakMib(new ServedApply(provider, 0).program));
    await peak("a process of the provider during it", provider);
    if (go) await peak("a process of the plugin in Go during it", go);
    const of = (offset: 0 | 1): Omit<Applies, "calls"> => {
      const [provider, hooks, idle, bare, inGo] = times.filter((_, index) => index % 2 === offset);
      return { provider: provider!, hooks: hooks!, idle: idle!, bare: bare!, inGo };
    };
    return {
      apply: { ...of(0), calls: { provider: own.calls.length, inGo: inGo?.calls.length } },
      destroy: { ...of(1), calls: { provider: own.destroyCalls.length, inGo: inGo?.destroyCalls.length } },
    };
  } finally {
    for (const stack of [...stacks, ...others]) stack.remove();
  }
}

const served = (stack: Stack) => new ServedApply(stack, 0, { thenDestroy: true });

/** Instances with hooks that do nothing, at these events. */
export function terraformData(count: number, events: readonly ("create" | "destroy")[]): object {
  return {
    resource: {
      terraform_data: {
        plain: {
          for_each: `\${toset([for index in range(${count}) : tostring(index)])}`,
          triggers_replace: { name: "${each.key}" },
          ...(events.length > 0 && {
            provisioner: events.map((when) => ({ "local-exec": { when, interpreter: ["node", "-e"], command: "0" } })),
          }),
        },
      },
    },
  };
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
      const [provider, bare, inGo] = (await medians(rounds, ...programs)) as [number, number, number?];
      plans.push({ count, provider, bare, inGo });
      if (count !== peaksOf) continue;
      const peak = (what: string, stack: Stack) =>
        pluginPeakMib(stack, (copy) => within(copy.plan())).then((mib) => bench.peak(`${what}, plan of ${count} clusters`, mib));
      bench.peak(`plan of ${count} clusters by the provider`, await peakMib(programs[0]!));
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
