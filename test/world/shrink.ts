import { Author } from "./author";
import { randomFrom } from "./kernel";
import { Play } from "./play";
import { NAMES, type Program } from "./programs";
import { CALM, type Scope, type Sequence, type Step } from "./steps";

/** Plays what the author of a seed writes. */
export async function written(seed: number, scope: Scope): Promise<Play> {
  const author = new Author(randomFrom(seed), scope);
  const play = new Play(author.setup, seed);
  await play.play(
    (wasOk) => author.next(wasOk),
    (effect, nth) => author.stopBefore(effect, nth),
  );
  return play;
}

export async function replay({ setup, seed, steps }: Sequence): Promise<Play> {
  const play = new Play(setup, seed);
  const left = [...steps];
  await play.play(() => left.shift());
  return play;
}

/** Leaves out steps, parts of steps and peculiarities of the setup, as long as the same rule is violated. */
export async function shrunk(sequence: Sequence, rule: string): Promise<Sequence> {
  let least = sequence;
  const accept = async (candidate: Sequence) => {
    if (candidate.steps.length === 0) return false;
    const play = await replay(candidate).catch(() => undefined);
    if (!play?.violations.some((violation) => violation.rule === rule)) return false;
    // Steps after the violation were not played.
    least = play.sequence;
    return true;
  };
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of candidates(least)) {
      if (!(await accept(candidate))) continue;
      isSmaller = true;
      break;
    }
  }
  return least;
}

function* candidates(sequence: Sequence): Generator<Sequence> {
  const { setup, steps } = sequence;
  for (let index = steps.length - 1; index >= 0; index--) yield { ...sequence, steps: steps.toSpliced(index, 1) };
  for (const key of Object.keys(CALM) as (keyof typeof CALM)[]) {
    if (setup[key] === CALM[key]) continue;
    const calm = { ...setup, [key]: CALM[key] };
    const eased = key === "isRemote" ? steps : steps.map((step) => ({ ...step, program: { ...step.program, [key]: CALM[key] } }));
    yield { ...sequence, setup: calm, steps: eased };
  }
  for (const [index, step] of steps.entries()) {
    for (const simpler of simplerSteps(step)) yield { ...sequence, steps: steps.with(index, simpler) };
  }
}

function* simplerSteps(step: Step): Generator<Step> {
  for (const key of Object.keys(step) as (keyof Step)[]) if (key !== "program") yield without(step, key);
  if (step.faults && step.faults.length > 1) for (const fault of step.faults) yield { ...step, faults: [fault] };
  if (step.wait && step.wait > 1) yield { ...step, wait: 1 };
  for (const program of simplerPrograms(step.program)) yield { ...step, program };
  const { beside } = step;
  if (!beside) return;
  for (const program of simplerPrograms(beside.program)) yield { ...step, beside: { ...beside, program } };
  if (beside.operation) yield { ...step, beside: without(beside, "operation") };
}

function* simplerPrograms(program: Program): Generator<Program> {
  const { clusters } = program;
  for (const name of NAMES) {
    if (clusters[name] === undefined) continue;
    yield { ...program, clusters: without(clusters, name) };
    if (clusters[name] !== 0) yield { ...program, clusters: { ...clusters, [name]: 0 } };
  }
  for (const key of ["retain", "allowDeletion"] as const) if (program[key]?.length) yield without(program, key);
  for (const key of ["url", "carrier", "beside", "platform"] as const)
    if (program[key] !== undefined) yield without(program, key);
  for (const name of NAMES) {
    const { beside } = program;
    if (beside?.clusters[name] === undefined) continue;
    yield { ...program, beside: { ...beside, clusters: without(beside.clusters, name) } };
  }
  if (program.provider) yield { ...program, provider: 0 };
}

export function without<T extends object>(value: T, key: keyof T): T {
  const { [key]: _, ...rest } = value;
  return rest as T;
}
