import type { Domains } from "../../src/decision/possible";

/** Every possible combination of facts. */
export function combinations<Facts extends object>(domains: Domains<Facts>): readonly Facts[] {
  const names = Object.keys(domains) as (keyof Facts)[];
  const all = names.reduce<object[]>(
    (before, name) => before.flatMap((facts) => domains[name].map((value) => ({ ...facts, [name]: value }))),
    [{}],
  );
  return all as Facts[];
}

/** Equal for equal sets of outcomes. */
export const texts = (outcomes: readonly unknown[]) =>
  [...new Set(outcomes.map((outcome) => JSON.stringify(outcome)))].sort().join();
