import type { Program } from "../programs";
import { replay } from "../shrink";
import { CALM, type Setup, type Step } from "../steps";

const SETUP: Setup = { engine: "terraform_data", ...CALM };

/** A program of one Platform and its provider. */
export function program(clusters: Program["clusters"], more: Partial<Program> = {}): Program {
  return { engine: "terraform_data", clusters, ...more };
}

/** Plays a sequence that a person has written. */
export function played(...steps: readonly Step[]) {
  return playedWith({}, ...steps);
}

export async function playedWith(setup: Partial<Setup>, ...steps: readonly Step[]) {
  const { violations, service, log } = await replay({ setup: { ...SETUP, ...setup }, seed: 1, steps });
  const text = log.join("\n");
  const runs = text.split(/^(?=run \d+ on )/m).filter((part) => part.startsWith("run "));
  return {
    violations,
    service,
    /** What each run printed, beginning with `run 1`. The last ones are those that follow the remedies. */
    runs,
    /** `succeeds`, `FAILS` or `is killed`. */
    endings: runs.map((run) => /^run \d+ on \w+(?: \d+)?: \w+(?: \w+)*? (succeeds|FAILS|is killed) after/.exec(run)![1]),
    deleted: service.log.filter(({ method, outcome }) => method === "DELETE" && outcome.startsWith("20")).map(({ path }) => path),
  };
}
