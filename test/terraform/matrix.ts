import { readFileSync } from "node:fs";
import { TerraformVariable } from "cdktf";
import { secrets } from "../support/capvs";
import { type Declaration, Lane, type Row } from "./lane";
import { troubles } from "./troubles";
import { Workspace } from "./workspace";

const TOKEN = "token-of-all-lanes";
const expected = matrixOf(readFileSync("docs/lifecycle.md", "utf8"));

interface Transition {
  /** The head of its column. */
  readonly title: string;
  readonly write: "POST" | "DELETE";
  /** The cluster that it is about. */
  readonly name: string;
  /** What the code declares from now on. */
  readonly declaration?: Declaration;
  /** Value of the variable `workers` from now on. */
  readonly workers?: number;
  /** How Terraform is called. @default - apply */
  readonly call?: (lanes: readonly Lane[]) => string[];
}

const five = { controlPlane: { count: 5, cpus: 4, memoryMib: 8192, diskGib: 60 } };
const base: Declaration = { provider: true, clusters: { stage: {} } };
const withProd = { ...base, clusters: { ...base.clusters, prod: {} } };
const withFive = { ...base, clusters: { ...base.clusters, prod: five } };
const renamed = { ...base, clusters: { ...base.clusters, other: five } };
const withExtra = { ...base, clusters: { ...renamed.clusters, extra: {} } };
const nothing: Declaration = { provider: false, clusters: {} };

const transitions: readonly Transition[] = [
  { title: "create", write: "POST", name: "prod", declaration: withProd },
  { title: "field change", write: "DELETE", name: "prod", declaration: withFive },
  { title: "token value", write: "POST", name: "prod", workers: 4 },
  { title: "new name", write: "POST", name: "other", declaration: renamed },
  {
    title: "`-replace`",
    write: "POST",
    name: "other",
    call: (lanes) => ["apply", "-auto-approve", ...lanes.map((lane) => `-replace=${lane.address("other")}`)],
  },
  {
    title: "`-target`",
    write: "POST",
    name: "extra",
    declaration: withExtra,
    call: (lanes) => ["apply", "-auto-approve", ...lanes.map((lane) => `-target=${lane.address("extra")}`)],
  },
  { title: "removal", write: "DELETE", name: "extra", declaration: renamed },
  { title: "removal of all", write: "DELETE", name: "other", declaration: nothing },
  { title: "`destroy`", write: "DELETE", name: "stage", declaration: base, call: () => ["destroy", "-auto-approve"] },
];

/**
 * Plays rows of the matrix of docs/lifecycle.md with the real Terraform or OpenTofu: every transition under the trouble of
 * each. The page is what is expected; a cell that says something else than what happens fails the test.
 */
export function playMatrix(binary: string, rows: readonly Row[]): void {
  let workspace: Workspace;
  let lanes: Lane[];
  let declaration = base;
  let workers = 2;

  beforeAll(async () => {
    workspace = new Workspace({ CLUSTER_PLATFORM_TOKEN: TOKEN, ...secrets }, binary);
    lanes = await Promise.all(rows.map((row, index) => Lane.open(`lane${index}`, { ...row, token: TOKEN })));
    await converge(base);
  }, 600_000);

  afterAll(async () => {
    workspace.remove();
    await Promise.all(lanes.map((lane) => lane.simulator.close()));
  });

  test("every cell of docs/lifecycle.md is played", () => {
    expect(Object.keys(expected)).toEqual(troubles.map(({ title }) => title));
    for (const row of Object.values(expected)) expect(Object.keys(row)).toEqual(transitions.map(({ title }) => title));
  });

  test.each(transitions)(
    "$title",
    async ({ title, write, name, declaration: next = declaration, workers: count = workers, call }) => {
      if (title === "`destroy`") await converge(next);
      declaration = next;
      workers = count;
      synth({ troubled: true });
      const siblings = lanes.flatMap((lane) => lane.eventsOf("stage"));
      for (const lane of lanes) lane.strike({ write, name });
      const played = await run(call?.(lanes) ?? ["apply", "-auto-approve"]);

      const observed = Object.fromEntries(lanes.map((lane) => [lane.title, played.outcomeOf(lane)]));
      if (process.env.SHOW_MATRIX) console.log(JSON.stringify({ title, observed }));
      const cells = Object.fromEntries(lanes.map((lane) => [lane.title, cell(lane, title)]));
      explaining(played.output, () => expect(observed).toEqual(cells));
      for (const lane of lanes) expect(lane.violations()).toEqual([]);
      if (next !== nothing && title !== "`destroy`") expect(lanes.flatMap((lane) => lane.eventsOf("stage"))).toEqual(siblings);

      for (const lane of lanes) lane.heal();
      if (title === "`destroy`") {
        const { status, output } = await run(["destroy", "-auto-approve"]);
        explaining(output, () => expect(status).toBe(0));
        declaration = nothing;
      } else {
        await converge(next);
        expect(await workspace.plan({ env: variables() })).toEqual([]);
      }
      for (const lane of lanes) {
        expect(lane.live()).toEqual(lane.expected(declaration));
        expect(lane.violations()).toEqual([]);
      }
    },
    600_000,
  );

  function synth({ troubled, suffix = "" }: { troubled: boolean; suffix?: string }): void {
    workspace.synth((stack) => {
      const count = new TerraformVariable(stack, "workers", { type: "number" }).numberValue;
      for (const lane of lanes) lane.declare(stack, declaration, { troubled, suffix, workers: count });
    });
  }

  async function converge(next: Declaration): Promise<void> {
    declaration = next;
    synth({ troubled: false });
    const { status, output } = await run(["apply", "-auto-approve"]);
    explaining(output, () => expect(status).toBe(0));
  }

  const variables = () => ({ TF_VAR_workers: String(workers) });

  /** Runs Terraform and tells how each lane fared. */
  async function run(args: readonly string[]) {
    const { status, output } = await workspace.run([...args, "-json", "-parallelism=40", "-input=false"], { env: variables() });
    const failed = new Set<string>();
    const refused = new Set<string>();
    const said: string[] = [];
    for (const line of output.split("\n").filter((text) => text.startsWith("{"))) {
      const { type, hook, diagnostic, "@message": message } = JSON.parse(line) as Line;
      if (diagnostic) said.push(`${message}\n${diagnostic.detail}`);
      const lane = /\.(lane\d+)_/.exec(hook?.resource.addr ?? "")?.[1] ?? "";
      if (type === "provision_errored") failed.add(lane);
      if (hook?.output?.includes("[NAME_TAKEN]")) refused.add(lane);
    }
    const outcomeOf = ({ id }: Lane) => (refused.has(id) ? "refused" : failed.has(id) ? "next" : "same");
    return { status, outcomeOf, output: said.join("\n") };
  }
}

/** What the page says of a transition; a trouble that it has nothing to do with is none. */
function cell({ trouble }: Lane, transition: string): string {
  const said = expected[trouble.title]![transition]!;
  return said === "–" ? "same" : said;
}

/** A failed expectation about a run is understood by what the run said. */
function explaining(output: string, expectation: () => void): void {
  try {
    expectation();
  } catch (error) {
    (error as Error).message += `\n\nThe run said:\n${output}`;
    throw error;
  }
}

/** A line of Terraform's machine-readable output, as far as it matters here. */
interface Line {
  readonly type: string;
  readonly "@message": string;
  readonly hook?: { readonly resource: { readonly addr: string }; readonly output?: string };
  readonly diagnostic?: { readonly detail: string };
}

/** The table of the page, by the first cell of its rows and the head of its columns. */
function matrixOf(page: string): Record<string, Record<string, string>> {
  const [, table] = /<!-- matrix -->\n([\s\S]*?)\n<!-- end of matrix -->/.exec(page)!;
  const cellsOf = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head, , ...rows] = table!.trim().split("\n").map(cellsOf);
  return Object.fromEntries(
    rows.map(([title, ...cells]) => [title, Object.fromEntries(cells.map((cell, index) => [head![index + 1]!, cell]))]),
  );
}
