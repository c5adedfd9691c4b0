import type { Program } from "../programs";
import { replay } from "../shrink";
import { CALM, type Step } from "../steps";

const before = { clusters: { c1: 0 }, beside: { clusters: { c2: 0 } } } as const;
const after = { clusters: { c1: 0, c2: 0 }, beside: { clusters: {} } } as const;

/** The runs until the last step, without those that follow remedies. */
async function played(engine: Program["engine"], ...steps: readonly Omit<Step, "program">[]) {
  const [program, more] = [
    { engine, ...after },
    { engine, ...before },
  ];
  const all: Step[] = [{ program: more }, ...steps.map((step) => ({ program, ...step }))];
  const { violations, log } = await replay({ setup: { engine, ...CALM }, seed: 1, steps: all });
  const runs = log.join("\n").split(/^(?=run \d+ on )/m);
  return { violations, run: runs[steps.length]! };
}

const ENGINES = ["terraform_data", "null_resource", "provider"] as const;

test.each(ENGINES)(
  "a Platform does not delete an object that another one declares, also if that one adopts it: %s",
  async (engine) => {
    const { violations, run } = await played(engine, { adopt: ["capvs/clusters/c2"] });
    expect(violations).toEqual([]);
    expect(run).toContain("another Platform of the stack declares ");
    expect(run).not.toContain("DELETE");
  },
);

test.each(ENGINES)("an object moves to another Platform: %s", async (engine) => {
  const program: Program = { engine, ...after, moved: true, retain: ["c2"] };
  const { violations, run } = await played(engine, { program } as Partial<Step>);
  expect(violations).toEqual([]);
  expect(run).toContain("succeeds");
  expect(run).not.toMatch(/DELETE|POST/);
});

test.each(ENGINES)("a Platform gets another name: %s", async (engine) => {
  const renamed: Program = { engine, platform: "lab", clusters: { c1: 0 }, beside: { clusters: {} }, moved: true };
  const steps: Step[] = [
    { program: { engine, clusters: { c1: 0 } } },
    { program: { ...renamed, retain: ["vsphere", "c1"] } },
    { program: { engine, platform: "lab", clusters: { c1: 0 } } },
  ];
  const { violations, log, service } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  expect(violations).toEqual([]);
  expect(log.join("\n")).not.toContain("FAILS");
  expect(service.lives).toHaveLength(2);
});

test.each(ENGINES)("before a Platform deletes anything, it refuses to delete what another one declares: %s", async (engine) => {
  const steps: Step[] = [
    { program: { engine, clusters: { c1: 0, c2: 0 }, beside: { clusters: { c3: 0 } } } },
    // c1 leaves the code, and c2 goes to the other Platform.
    { program: { engine, clusters: {}, beside: { clusters: { c2: 0, c3: 0 } } }, adopt: ["capvs/clusters/c2"] },
  ];
  const { violations, log } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  const [, refused] = log.join("\n").split(/^(?=run \d+ on )/m);
  expect(violations).toEqual([]);
  expect(refused).toContain("another Platform of the stack declares ");
  expect(refused).not.toContain("DELETE");
});

test("with the provider, a Platform that left the code deletes nothing", async () => {
  const engine = "provider";
  const steps: Step[] = [
    { program: { engine, clusters: { c1: 0 } } },
    { program: { engine, platform: "lab", clusters: { c1: 0 } }, adopt: ["capvs/clusters/c1", "capvs/providers/vsphere"] },
    { program: { engine, clusters: {}, carrier: "nothing" } },
    { program: { engine, clusters: {} } },
  ];
  const { violations, log } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  const [, renamed, removed, emptied] = log.join("\n").split(/^(?=run \d+ on )/m);
  expect(violations).toEqual([]);
  expect(renamed).toContain("[MISSING_PLATFORM]");
  expect(removed).toContain("[MISSING_PLATFORM]");
  expect(renamed! + removed!).not.toContain("DELETE");
  expect(emptied).toContain("succeeds");
});

test("with the provider, a Platform that left the code after an import deletes nothing", async () => {
  const [engine, isProtected] = ["provider", true] as const;
  const one: Program = { engine, clusters: { c1: 0 }, isProtected };
  const steps: Step[] = [
    { program: one },
    { program: one, operation: "plan", state: { act: "rm", name: "vsphere" } },
    { program: one, state: { act: "rm", name: "c1" }, import: { name: "c1", id: "c1" } },
    { program: { engine, clusters: {}, carrier: "nothing" } },
    { program: { engine, clusters: {}, isProtected } },
  ];
  const { violations, log, service } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  const [, , imported, removed, undeclared] = log.join("\n").split(/^(?=run \d+ on )/m);
  expect(violations).toEqual([]);
  expect(imported).toContain("import succeeds");
  expect(removed).toContain("[MISSING_PLATFORM]");
  expect(undeclared).toContain("[PROTECTED]");
  expect(service.lives).toHaveLength(2);
});

test("with the provider, a Platform leaves the code after its first apply was interrupted", async () => {
  const engine = "provider";
  const steps: Step[] = [
    { program: { engine, clusters: { c1: 0 } } },
    {
      program: { engine, ...before },
      stop: { at: { before: "carried out POST", nth: 1 }, how: "SIGTERM to all" },
      faults: [{ method: "POST", skip: 0, times: 1, fault: { kind: "garbage", status: 404, carriedOut: true } }],
    },
    { program: { engine, clusters: { c1: 0 } } },
  ];
  const { violations, log } = await replay({ setup: { engine, ...CALM, hasForecasts: true }, seed: 1, steps });
  expect(violations).toEqual([]);
  const [, , next] = log.join("\n").split(/^(?=run \d+ on )/m);
  expect(next).toContain("on the service but not in the state: capvs/clusters/c2");
});
