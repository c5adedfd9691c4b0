import { replay } from "../shrink";
import { CALM } from "../steps";

test("a name in retain whose object an earlier apply has released refuses nothing, and a review does not say that it does", async () => {
  const engine = "terraform_data";
  const steps = [
    { program: { engine, clusters: { c1: 1, c2: 0 } } },
    { program: { engine, clusters: { c1: 1 }, retain: ["c2"] } },
    { program: { engine, clusters: { c1: 0 }, retain: ["c2"] } },
  ] as const;
  const { violations, log } = await replay({ setup: { engine, ...CALM, hasForecasts: true }, seed: 1, steps: [...steps] });
  expect(violations.filter(({ rule }) => rule.includes("review"))).toEqual([]);
  const [, , last] = log.join("\n").split(/^(?=run \d+ on )/m);
  expect(last).toContain("retain has c2, which an earlier apply has released: remove it from retain");
  expect(last).toContain("cluster c1: deleted after");
});
