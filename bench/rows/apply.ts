import { Engine } from "cdktf-cluster-platform";
import { ServedApply } from "../applies";
import { fleet, PROVIDERS } from "../fleet";
import { goPlugin, NO_GO, withGenericGoPlugin, withGoPlugin } from "../go-plugin";
import { pluginPeakMib } from "../plugin";
import { measured, seconds, timed } from "../processes";
import { type Bench, once, type Row } from "../row";
import type { Runs, Sizes } from "../sizes";
import { Stack } from "../stack";

/** Applies and destroys of one fleet on all engines, side by side. The rows share one measurement. */
export function applyRows({ apply: { clusters, rounds } }: Sizes): readonly Row[] {
  const objects = clusters + PROVIDERS;
  const idle = "over as many terraform_data with node -e 0 as their hook";
  const applies = once((bench) => measureApplies(clusters, rounds, bench));
  return [
    {
      name: `apply of ${objects} objects by hooks, ${idle}`,
      goal: 1.5,
      async measure(bench) {
        const { hooks, idle } = (await applies(bench)).apply;
        return {
          ratio: hooks / idle,
          details: [`${seconds(hooks)} over ${seconds(idle)}, medians of ${rounds}; the service runs on the same cores`],
        };
      },
    },
    ...(["apply", "destroy"] as const).flatMap((what): Row[] => [
      {
        name: `${what} of ${objects} objects by the provider, ${idle}`,
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
        goal: 1,
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
  ];
}

/** Beside a plugin that knows no fields. Terraform has one text for an object then, in place of nested attributes. */
export function genericRow({ generic: { runs } }: Sizes): Row {
  const [[first]] = runs as readonly [Runs[number]];
  return {
    name: `apply of ${first + PROVIDERS} objects by the provider, over a generic plugin in Go with one JSON text per object`,
    goal: "stated",
    async measure() {
      const binary = await goPlugin();
      if (binary === undefined) return { ratio: null, details: [NO_GO] };
      const details: string[] = [];
      const ratios: number[] = [];
      for (const [clusters, rounds] of runs) {
        const stack = await (await fleet(clusters, { engine: Engine.PROVIDER })).init();
        try {
          const own = new ServedApply(stack, 0);
          await timed(own.program);
          const other = await withGenericGoPlugin(stack, binary, own.calls);
          try {
            const generic = new ServedApply(other, 0);
            const [ours, theirs] = await measured(rounds, own.program, generic.program);
            ratios.push(ours.milliseconds / theirs.milliseconds);
            details.push(
              `${clusters} clusters: ${ratios.at(-1)!.toFixed(2)} (${seconds(ours.milliseconds)} over ${seconds(theirs.milliseconds)}); ${own.calls.length} calls, and ${generic.calls.length} by the generic plugin`,
            );
          } finally {
            other.remove();
          }
        } finally {
          stack.remove();
        }
      }
      return { ratio: ratios[0]!, details };
    },
  };
}

export const callsPerObject: Row = {
  name: "service calls per created object by hooks, wait aside",
  goal: 3,
  async measure() {
    const stack = await (await fleet(PROVIDERS)).init();
    try {
      const ours = new ServedApply(stack, 0);
      await timed(ours.program);
      return { ratio: ours.phases.creating.length / (2 * PROVIDERS), details: ["counted by the embedded service"] };
    } finally {
      stack.remove();
    }
  },
};

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
    const measurements = await measured(rounds, ...sides.flat());
    const [ofProvider, ofHooks, ofIdle, ofBare, ofGo] = sides.map((_, index) => ({
      apply: measurements[2 * index]!,
      destroy: measurements[2 * index + 1]!,
    }));
    const timesOf = (what: "apply" | "destroy") => ({
      provider: ofProvider![what].milliseconds,
      hooks: ofHooks![what].milliseconds,
      idle: ofIdle![what].milliseconds,
      bare: ofBare![what].milliseconds,
      inGo: ofGo?.[what].milliseconds,
    });
    bench.peak(`apply of ${objects} objects by hooks`, ofHooks!.apply.peakMib);
    bench.peak(`apply of ${objects} terraform_data`, ofIdle!.apply.peakMib);
    bench.peak("embedded service during it", hooked.servicePeak);
    bench.peak(`apply of ${objects} objects by the provider`, ofProvider!.apply.peakMib);
    const peak = async (what: string, stack: Stack) =>
      bench.peak(what, await pluginPeakMib(stack, (copy) => new ServedApply(copy, 0).program));
    await peak("a process of the provider during it", provider);
    if (go) await peak("a process of the plugin in Go during it", go);
    return {
      apply: { ...timesOf("apply"), calls: { provider: own.calls.length, inGo: inGo?.calls.length } },
      destroy: { ...timesOf("destroy"), calls: { provider: own.destroyCalls.length, inGo: inGo?.destroyCalls.length } },
    };
  } finally {
    for (const stack of [...stacks, ...others]) stack.remove();
  }
}

const served = (stack: Stack) => new ServedApply(stack, 0, { thenDestroy: true });

/** Instances with hooks that do nothing, at these events. */
function terraformData(count: number, events: readonly ("create" | "destroy")[]): object {
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
