import { table } from "../support/docs-table";
import { NAMES, type Name, type Program } from "./programs";
import type { Fault } from "./service";
import { replay } from "./shrink";
import { CALM, type Step } from "./steps";

/** Every cell of the failures in tables.md, for hooks and the provider. The page is what is expected. */

type Clusters = Program["clusters"];

interface Transition {
  /** The head of its column. */
  readonly title: string;
  readonly write: "POST" | "DELETE";
  /** The cluster that it is about. */
  readonly name: Name;
  readonly before: Clusters;
  readonly after: Clusters;
  readonly step?: Partial<Step>;
}

/** No transition but the last one changes it. */
const stage: Clusters = { c3: 0 };
const prod: Clusters = { ...stage, c1: 0 };

const transitions: readonly Transition[] = [
  { title: "create", write: "POST", name: "c1", before: stage, after: prod },
  { title: "field change", write: "DELETE", name: "c1", before: prod, after: { ...prod, c1: 1 } },
  { title: "token value", write: "POST", name: "c1", before: prod, after: { ...prod, c1: 2 } },
  { title: "new name", write: "POST", name: "c2", before: prod, after: { ...stage, c2: 0 } },
  { title: "`-replace`", write: "POST", name: "c1", before: prod, after: prod, step: { replace: ["c1"] } },
  { title: "`-target`", write: "POST", name: "c2", before: prod, after: { ...prod, c2: 0 }, step: { target: ["c2"] } },
  { title: "removal", write: "DELETE", name: "c1", before: prod, after: stage },
  { title: "removal of all", write: "DELETE", name: "c1", before: { c1: 0 }, after: {} },
  { title: "`destroy`", write: "DELETE", name: "c3", before: stage, after: stage, step: { operation: "destroy" } },
];

interface Failure {
  /** The first cell of its row in tables.md. */
  readonly title: string;
  readonly goesWrong: (transition: Transition) => Partial<Step>;
  /** Whether the provider refuses the plan. */
  readonly isRefusedAtPlan?: boolean;
}

const always = Infinity;
const on = (method: "GET" | "POST" | "DELETE", fault: Fault, times = always) => ({ method, skip: 0, times, fault });
const html = (status: number): Fault => ({ kind: "garbage", status, carriedOut: false });

const failures: readonly Failure[] = [
  {
    title: "the write is answered with 500",
    goesWrong: ({ write }) => ({ faults: [on(write, { kind: "refuse", status: 500 })] }),
  },
  {
    title: "the write is carried out, its answer lost",
    goesWrong: ({ write }) => ({ faults: [on(write, { kind: "lose" }, 1)] }),
  },
  {
    title: "looks are answered with 503, three times",
    goesWrong: () => ({ faults: [on("GET", { kind: "refuse", status: 503 }, 3)] }),
  },
  {
    title: "the write is answered with 429 and Retry-After, once",
    goesWrong: ({ write }) => ({ faults: [on(write, { kind: "refuse", status: 429, retryAfter: 1 }, 1)] }),
  },
  {
    title: "the write hangs until its time is over",
    goesWrong: ({ write }) => ({ faults: [on(write, { kind: "hang" })] }),
  },
  {
    title: "the write is carried out, its answer garbage",
    goesWrong: ({ write }) => ({ faults: [on(write, { kind: "garbage", status: 200, carriedOut: true }, 1)] }),
  },
  {
    title: "a proxy answers the write with its 404 page",
    goesWrong: ({ write }) => ({ faults: [on(write, html(404))] }),
  },
  {
    title: "a proxy answers everything with its 200 page",
    isRefusedAtPlan: true,
    goesWrong: () => ({ faults: [on("GET", html(200)), on("POST", html(200)), on("DELETE", html(200))] }),
  },
  {
    title: "the list of clusters is not complete",
    isRefusedAtPlan: true,
    goesWrong: () => ({ faults: [on("GET", { kind: "partial" })] }),
  },
  {
    title: "the cluster never becomes ready",
    goesWrong: () => ({ habits: { phases: Object.fromEntries(NAMES.map((name) => [name, "Pending"])) } }),
  },
  {
    title: "the name is taken before",
    isRefusedAtPlan: true,
    goesWrong: ({ write, name, before }) =>
      write === "POST" && before[name] === undefined ? { other: { act: "creates", name, variant: 0 } } : {},
  },
  {
    title: "the name is taken after the look",
    goesWrong: ({ write, name }) =>
      write === "POST" ? { other: { act: "creates", name, variant: 0, at: { before: "arrives POST", nth: 1 } } } : {},
  },
  {
    title: "the hook or the plugin is killed before the write",
    goesWrong: ({ write }) => ({ stop: { at: { before: `sends ${write}`, nth: 1 }, how: "SIGKILL of the children" } }),
  },
  {
    title: "the hook or the plugin is killed after the write",
    goesWrong: ({ write }) => ({ stop: { at: { before: `answered ${write}`, nth: 1 }, how: "SIGKILL of the children" } }),
  },
];

const page = table("test/world/tables.md", `| failure | ${transitions.map(({ title }) => title).join(" | ")} |`);

describe.each(["terraform_data", "provider"] as const)("on %s", (engine) => {
  const setup = { engine, ...CALM, waitForReady: true };

  test("has these rows", () => expect(page.map(([title]) => title)).toEqual(failures.map(({ title }) => title)));

  const cells = failures.flatMap((failure) => transitions.map((transition) => ({ failure, transition })));
  test.each(cells)("$failure.title: $transition.title", async ({ failure, transition }) => {
    const { before, after, name, step } = transition;
    const declaring = (clusters: Clusters): Program => ({ engine, clusters, waitForReady: true });
    const wrong = failure.goesWrong(transition);
    const isDestroyed = step?.operation === "destroy";
    const { log, violations, service } = await replay({
      setup,
      seed: 1,
      steps: [
        { program: declaring(before) },
        { program: declaring(after), wait: 60, ...step, ...wrong },
        {
          program: declaring(after),
          ...(isDestroyed && { operation: "destroy" }),
          ...(wrong.other && { other: { act: "deletes", name, variant: 0 } }),
        },
      ],
    });
    const [, outcome, next] = log
      .join("\n")
      .split(/^(?=run \d+ on )/m)
      .map(outcomeOf);
    const said = page[failures.indexOf(failure)]![1 + transitions.indexOf(transition)]!;
    // Such a failure changes nothing.
    const cell = said === "–" ? "same" : said;
    const seen = { outcome, next, violations };
    const expected = { outcome: cell, next: "same", violations: [] };
    expect({ ...seen, log }).toEqual({ ...expected, log });
    const writes = service.log.filter(({ by, method }) => by.run === 2 && method !== "GET");
    if (engine === "provider" && failure.isRefusedAtPlan && cell !== "same") expect(writes).toEqual([]);
    const stages = service.lives.filter(({ id }) => id.endsWith("/c3"));
    if (!isDestroyed && before.c3 !== undefined) expect(stages).toHaveLength(1);
    expect(NAMES.filter((each) => service.live(`capvs/clusters/${each}`))).toEqual(Object.keys(after).sort());
  });
});

function outcomeOf(run: string): string {
  if (/^run \d+ on \S+: \w+ succeeds/.test(run)) return "same";
  return /\[NAME_TAKEN\] .*the service already has cluster \w+/.test(run) ? "refused" : "next";
}
