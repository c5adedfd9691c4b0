import { isDeepStrictEqual } from "node:util";
import { Engine } from "../../src/constructs/engine";
import { secrets } from "../support/capvs";
import { accessTo } from "../support/service";
import { isAtLeast, isOpenTofu, type Backend } from "../support/tools";
import { RealSide } from "./against-terraform/real";
import { SimulatedSide } from "./against-terraform/simulated";
import type { Seen } from "./against-terraform/side";
import { stepsFrom, type Code, type Step } from "./against-terraform/steps";

/** What the model and the real Terraform have made of the same steps. */
export interface Comparison {
  readonly seed: number;
  /** What was compared. */
  readonly played: readonly Step[];
  /** Of the first step whose outcomes differ. */
  readonly difference?: string;
}

const NAMES: Readonly<Record<Engine, Code["engine"]>> = {
  [Engine.NULL_RESOURCE]: "null_resource",
  [Engine.TERRAFORM_DATA]: "terraform_data",
  [Engine.PROVIDER]: "provider",
};

/**
 * Plays a sequence in the simulated world and with the real Terraform, hooks or plugin, and embedded service, until a step ends
 * differently. Both read the same synthesized stack.
 */
export async function compared(seed: number, backend: Backend, steps = randomSteps(seed, backend)): Promise<Comparison> {
  const played: Step[] = [];
  const real = await RealSide.open(backend);
  try {
    const simulated = new SimulatedSide(seed, { ...accessTo(real.simulator), ...secrets }, isOpenTofu(backend.binary));
    for (const drawn of steps) {
      const json = real.synth(drawn);
      const canEdit = simulated.prepare(drawn);
      const step = await simulated.settled(drawn, json);
      const before = [...played];
      played.push(step);
      const expected = await real.play(step, canEdit);
      const found = await simulated.play(step, json);
      const differing = (Object.keys({ ...expected, ...found }) as (keyof Seen)[]).filter(
        (key) => !isSame(expected[key], found[key]),
      );
      if (differing.length > 0) return { seed, played, difference: told(before, step, differing, expected, found, real.output) };
    }
    return { seed, played };
  } finally {
    await real.close();
  }
}

function randomSteps(seed: number, { binary, engine }: Backend): readonly Step[] {
  return stepsFrom(seed, { engine: NAMES[engine], isNew: isAtLeast(binary, { terraform: 9, openTofu: 10 }) });
}

function told(
  before: readonly Step[],
  step: Step,
  keys: readonly (keyof Seen)[],
  real: Seen,
  model: Seen,
  output: string,
): string {
  return [
    ...before.map((each) => `before: ${JSON.stringify(each)}`),
    `step:   ${JSON.stringify(step)}`,
    ...keys.flatMap((key) => (key === "state" ? states(real.state, model.state) : pair(key, real[key], model[key]))),
    output
      .split("\n")
      .filter((line) => /Error|\[[A-Z_]+\]|Apply|Destroy|Plan:|stale/.test(line))
      .join("\n"),
  ].join("\n");
}

function states(real: Seen["state"], model: Seen["state"]): string[] {
  const addresses = Object.keys({ ...real, ...model }).filter((each) => !isSame(real[each], model[each]));
  return addresses.flatMap((address) => pair(`state of ${address}`, real[address], model[address]));
}

function pair(what: string, real: unknown, model: unknown): string[] {
  return [`${what}`, `  real:  ${JSON.stringify(real)}`, `  model: ${JSON.stringify(model)}`];
}

/** Arrays of the file system and of tests have different prototypes. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
