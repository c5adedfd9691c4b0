import type { Effect } from "../kernel";
import type { Play } from "../play";
import { clusterId, type Program } from "../programs";
import { replay } from "../shrink";
import { CALM, type Moment, type Setup, type Step } from "../steps";

/** Sequences in which a note proved too much, for too long, or was not asked. Most hold for every moment of a stop. */

const SETUP: Setup = { engine: "terraform_data", ...CALM };
const ID = clusterId("c1");
const base = { engine: SETUP.engine, isProtected: false, waitForReady: false, createSeconds: 600, deleteSeconds: 300 } as const;
const nothing: Program = { ...base, clusters: {} };
const one: Program = { ...base, clusters: { c1: 0 } };
/** Lists do not show the difference. Otherwise a plan of the provider would take over the live values. */
const edited: Program = { ...base, clusters: { c1: 2 } };
const adopting = (program: Program): Program => ({ ...program, adopt: true });
const refused = { method: "DELETE", skip: 0, times: 1, fault: { kind: "refuse", status: 403 } } as const;

function played(steps: readonly Step[], setup: Partial<Setup> = {}): Promise<Play> {
  return replay({ setup: { ...SETUP, ...setup }, seed: 1, steps });
}

/** The lines of the n-th run. */
function run(play: Play, number: number): string {
  const starts = play.log.flatMap((line, index) => (line.startsWith("run ") ? [index] : []));
  return play.log.slice(starts[number - 1], starts[number]).join("\n");
}

const WRITES = ["POST", "DELETE"].flatMap((method) =>
  (["sends", "arrives", "carried out", "answered"] as const).map((verb) => `${verb} ${method}` as Effect),
);
const MOMENTS: readonly Moment[] = [
  ...WRITES,
  "writes a note" as const,
  "removes a note" as const,
  "writes the state" as const,
].flatMap((before) => [1, 2, 3, 4].map((nth) => ({ before, nth })));

/** Plays the steps once for each moment. */
async function whenever(stepsFor: (at: Moment) => readonly Step[], moments = MOMENTS): Promise<void> {
  for (const at of moments) {
    const { violations, log } = await played(stepsFor(at));
    expect({ at, violations, log: violations.length > 0 ? log : [] }).toEqual({ at, violations: [], log: [] });
  }
}

test("a refused DELETE does not make the state forget the object when lists lack it for some seconds", async () => {
  const hiding = { view: { kind: "hide", name: "c1" }, seconds: 8 } as const;
  const play = await played([{ program: one }, { program: nothing, faults: [refused] }, { program: nothing, view: hiding }]);
  expect(play.violations).toEqual([]);
  expect(run(play, 2)).toContain("FAILS");
  expect(run(play, 3)).toContain("DELETE /api/v1/clusters/c1: 20");
});

describe("a create without an answer", () => {
  /** A machine dies right after the POST. Its colleague adopts the object, and another stack gets it. */
  const handedOver = (later: number): Step[] => [
    { program: nothing },
    { program: one, stop: { at: { before: "answered POST", nth: 1 }, how: "the machine dies" } },
    { program: one, computer: "B", adopt: [ID], wait: 60 },
    { program: nothing, computer: "B", state: { act: "rm", name: "c1" } },
    { program: one, wait: later },
  ];

  test.each([
    ["an hour", 3_600, "continuing with it"],
    ["eight days", 8 * 86_400, "That does not show that it is still this stack's"],
  ])("%s later: %s", async (_, later, text) => {
    const play = await played(handedOver(later));
    expect(run(play, 2)).toContain("POST /api/v1/platform/providers/clusters/capvs: 201");
    expect(run(play, 5)).toContain(text);
  });
});

describe("an object that this stack has deleted and that lists still show", () => {
  const stale = (seconds: number, at?: Moment) => ({ view: { kind: "stale", seconds }, seconds, ...(at && { at }) }) as const;

  test.each([false, true])("is not adopted, by a replacement or on its advice (adopt: %s)", async (adopt) => {
    const program = adopt ? adopting(one) : one;
    await whenever((at) => [{ program }, { program, wait: 61, replace: ["c1"], view: stale(60, at) }, { program, adopt: [ID] }]);
  });

  test("is not adopted by the next run", async () => {
    const steps = [{ program: adopting(one) }, { program: adopting(nothing), wait: 61 }];
    const play = await played([...steps, { program: adopting(one), view: stale(30), adopt: [ID] }]);
    expect(play.violations).toEqual([]);
    expect(run(play, 3)).toContain("this stack itself has asked the service to delete cluster c1");
    expect(run(play, 4)).toContain("apply succeeds");
  });

  test.each(["lag", "stale", "replicas"] as const)("is no proof that the object lives when the removal is undone (%s)", (kind) =>
    whenever((at) => [
      { program: one },
      { program: nothing, stop: { at, how: "SIGINT" }, wait: 60, view: { view: { kind, seconds: 9 }, seconds: 30, at } },
      { program: one },
    ]),
  );
});

test("an object is found although lists lag behind when Terraform is killed during its create and the object leaves the code", () =>
  // A hook outlives its Terraform for a few seconds. Moments at which the state is written are left out.
  whenever(
    (at) => [
      { program: nothing },
      { program: one, stop: { at, how: "SIGKILL of Terraform" }, wait: 60 },
      { program: nothing, wait: 5, view: { view: { kind: "stale", seconds: 9 }, seconds: 30 } },
    ],
    MOMENTS.filter(({ before }) => before !== "writes the state"),
  ));

describe.each(["terraform_data", "provider"] as const)("a replacement that a remote state does not have (%s)", (engine) => {
  const remote = { isRemote: true, engine };

  const killed: Step[] = [
    { program: one },
    { program: edited, stop: { at: { before: "answered POST", nth: 1 }, how: "SIGKILL of Terraform" }, wait: 60 },
  ];

  test.each<[string, Step, string[]]>([
    ["the same declaration sends nothing", { program: edited }, []],
    ["a removal deletes it", { program: nothing }, ["DELETE"]],
    ["another declaration replaces it", { program: { ...base, clusters: { c1: 1 } } }, ["DELETE", "POST"]],
    ["-replace of the declaration in the state replaces it", { program: one, replace: ["c1"] }, ["DELETE", "POST"]],
  ])("%s", async (_, step, writes) => {
    const play = await played(
      [...killed, step].map((each) => ({ ...each, program: { ...each.program, engine } })),
      remote,
    );
    expect(play.violations).toEqual([]);
    const sent = play.service.log.filter(({ by, method }) => by.run === 3 && method !== "GET").map(({ method }) => method);
    expect({ sent, log: run(play, 3) }).toEqual({ sent: writes, log: expect.stringContaining("succeeds") });
  });
});
