import type { Program } from "../programs";
import { URLS } from "../programs";
import { replay } from "../shrink";
import { CALM, type Step } from "../steps";

const ENGINES = ["terraform_data", "null_resource", "provider"] as const;

test.each(ENGINES)("two Platforms have two services, and each has objects of the same names: %s", async (engine) => {
  const program: Program = { engine, clusters: { c1: 0 }, beside: { clusters: { c2: 0 }, url: URLS[1] } };
  const steps: Step[] = [{ program }, { program, operation: "destroy" }];
  const { violations, log } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  expect(violations).toEqual([]);
  expect(log.join("\n")).not.toContain("FAILS");
});

test.each(ENGINES)("a run whose URL is that of another Platform of the stack sends nothing to it: %s", async (engine) => {
  const beside = { clusters: {}, url: URLS[1] };
  const steps: Step[] = [
    { program: { engine, clusters: { c1: 0 }, beside } },
    { program: { engine, clusters: { c1: 0, c2: 0 }, beside }, url: URLS[1] },
    { program: { engine, clusters: {}, beside }, url: URLS[1] },
  ];
  const { violations, log } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  const [, created, removed] = log.join("\n").split(/^(?=run \d+ on )/m);
  expect(violations).toEqual([]);
  for (const run of [created, removed]) {
    expect(run).toContain("must not be the url of another Platform of the stack");
    expect(run).not.toMatch(/POST|DELETE/);
  }
});

test.each(ENGINES)("a Platform gets another name, and its objects are refused: %s", async (engine) => {
  const steps: Step[] = [
    { program: { engine, clusters: { c1: 0 } } },
    { program: { engine, platform: "lab", clusters: { c1: 0 } } },
  ];
  const { violations, log, service } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  const [, renamed] = log.join("\n").split(/^(?=run \d+ on )/m);
  expect(violations).toEqual([]);
  expect(renamed).toContain(engine === "provider" ? "[MISSING_PLATFORM]" : "the service already has");
  expect(renamed).not.toMatch(/POST|DELETE/);
  expect(service.lives).toHaveLength(2);
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
