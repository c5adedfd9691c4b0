import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Author } from "./author";
import { Draw } from "./draw";
import { randomFrom } from "./kernel";
import type { Play } from "./play";
import type { Program } from "./programs";
import { replay, without } from "./shrink";
import type { Scope, Sequence, Step } from "./steps";

const FOLDERS = ["test/world/found", "test/world/broken"];

/** Parts of a step that a neighbor may have from another sequence, or may lack. */
const PARTS = [
  "operation",
  "withoutRefresh",
  "replace",
  "target",
  "computer",
  "wait",
  "faults",
  "view",
  "habits",
  "stop",
  "adopt",
  "acceptGone",
  "lacks",
  "isTokenWrong",
  "state",
  "import",
  "other",
] as const satisfies readonly (keyof Step)[];

/**
 * The kept sequences that fit a scope.
 * @param leftOut the file of a sequence that does not count
 */
export function keptFor(scope: Scope, leftOut?: string): Sequence[] {
  const all = FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .map((file) => join(folder, file))
      .filter((file) => file.endsWith(".json") && file !== leftOut)
      .sort()
      .map((file) => (JSON.parse(readFileSync(file, "utf8")) as { sequence: Sequence }).sequence),
  );
  return all.filter(({ steps }) => steps.every((step) => isFor(step, scope)));
}

/**
 * Plays a changed copy of a kept sequence. What once went wrong has rare things in the order in which they matter, and few drawn
 * sequences have them all.
 */
export function playNear(kept: readonly Sequence[], seed: number, scope: Scope): Promise<Play> {
  return replay(neighborOf(kept, seed, scope));
}

/** A kept sequence with one to three changes. */
function neighborOf(kept: readonly Sequence[], seed: number, scope: Scope): Sequence {
  const random = randomFrom(seed);
  const draw = new Draw(random);
  const {
    setup: { hasForecasts: _, ...setup },
    steps,
  } = draw.one(...kept);
  const engine = draw.one(...scope.engines);
  const isSwitched = steps.some(({ program }) => program.engine !== setup.engine);
  const donors = donorsOf(random, scope);
  const changed = isSwitched ? [...steps] : steps.map((step) => ({ ...step, program: { ...step.program, engine } }));
  for (let changes = draw.one(1, 2, 2, 3); changes > 0; changes--) {
    const index = draw.number(0, changed.length - 1);
    const step = changed[index]!;
    const donor = draw.one(...donors);
    const part = draw.one(...PARTS);
    const change = draw.one("part", "part", "part", "code", "another code", "again", "more", "less");
    if (change === "part") changed[index] = withPart(step, part, donor[part]);
    else if (change === "code") changed[index] = { ...step, program: draw.one(...changed).program };
    else if (change === "another code") changed[index] = { ...step, program: withCode(step.program, donor.program) };
    else if (change === "again") changed.splice(index, 0, step);
    else if (change === "more") changed.splice(index, 0, { ...donor, program: step.program });
    else if (changed.length > 1) changed.splice(index, 1);
  }
  return {
    setup: { ...setup, ...(!isSwitched && { engine }), ...(scope.forecasts && { hasForecasts: true }) },
    seed,
    steps: changed,
  };
}

function isFor({ program, url, other, beside }: Step, { scenes, others, atOnce }: Scope): boolean {
  const isScene = [program.beside, program.carrier, program.platform, program.url, url];
  return (scenes || isScene.every((part) => part === undefined)) && (others || !other) && (atOnce || !beside);
}

function withCode(program: Program, { clusters, provider, retain, allowDeletion }: Program): Program {
  const { retain: _, allowDeletion: __, ...rest } = program;
  return { ...rest, clusters, provider, ...(retain && { retain }), ...(allowDeletion && { allowDeletion }) };
}

function donorsOf(random: () => number, scope: Scope): Step[] {
  const author = new Author(random, { ...scope, scenes: false });
  const steps: Step[] = [];
  for (let step = author.next(true); step; step = author.next(steps.length % 2 === 0)) steps.push(step);
  return steps;
}

function withPart<K extends keyof Step>(step: Step, part: K, value: Step[K]): Step {
  return value === undefined ? without(step, part) : { ...step, [part]: value };
}
