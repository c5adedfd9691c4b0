import type { Program } from "./programs";
import { replay } from "./shrink";
import { CALM } from "./steps";

/** A service whose lists take long, with all time limits at their defaults. Four objects ask at once. */

describe.each(["null_resource", "terraform_data", "provider"] as const)("on %s", (engine) => {
  test.each([2, 6, 15])("lists of %d seconds each only make a run slower", async (listSeconds) => {
    const program = (clusters: Program["clusters"]): Program => ({ engine, clusters, waitForReady: true });
    const [before, after] = [program({ c1: 0, c2: 0, c3: 0 }), program({ c1: 1, c2: 0, c3: 0 })];
    const habits = { listSeconds, provisionSeconds: 20, deleteSeconds: 3 };
    const { log, violations } = await replay({
      setup: { engine, ...CALM, waitForReady: true },
      seed: 1,
      steps: [
        { program: before, habits },
        { program: before, operation: "plan", habits },
        { program: after, habits },
        { program: after, operation: "destroy", habits },
      ],
    });
    const runs = log.filter((line) => /^run [1-4] on/.test(line));
    expect({ runs, violations }).toEqual({ runs: runs.map(() => expect.stringContaining("succeeds") as string), violations: [] });
    expect(runs).toHaveLength(4);
  });
});
