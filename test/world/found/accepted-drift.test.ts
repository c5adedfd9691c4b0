import { replay } from "../shrink";
import type { Program } from "../programs";
import { CALM, type Setup, type Step } from "../steps";

const setup: Setup = { engine: "provider", ...CALM };
const declaring = (variant: 0 | 1 | 2): Program => ({ engine: "provider", clusters: { c1: variant } });

test("a list that still shows the replaced object is no reason to take its values over", async () => {
  const view = { view: { kind: "stale", seconds: 5 }, seconds: 30 } as const;
  const steps: Step[] = [{ program: declaring(0) }, { program: declaring(1), wait: 60 }, { program: declaring(0), view }];
  const play = await replay({ setup, seed: 1, steps });
  expect(play.violations).toEqual([]);
  expect(play.log.join("\n")).toContain("run 3 DELETE /api/v1/clusters/c1: 204");
});

test("what the lists show of an object that a killed run has created in place of the state's is no reason to take it over", async () => {
  const stop = { at: { before: "answered POST", nth: 1 }, how: "the machine dies" } as const;
  const steps: Step[] = [{ program: declaring(1) }, { program: declaring(2), stop }, { program: declaring(0), wait: 60 }];
  const play = await replay({ setup: { ...setup, isRemote: true }, seed: 1, steps });
  expect(play.violations).toEqual([]);
  expect(play.log.join("\n")).toContain("run 3 DELETE /api/v1/clusters/c1: 204");
});
