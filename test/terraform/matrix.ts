import { readFileSync } from "node:fs";
import { TerraformVariable } from "cdktf";
import { secrets } from "../support/capvs";
import { type Declaration, MatrixRow, type RowOptions } from "./matrix-row";
import { failures } from "./failures";
import { Workspace } from "./workspace";

const TOKEN = "token-of-all-rows";
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
  readonly call?: (rows: readonly MatrixRow[]) => string[];
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
    call: (rows) => ["apply", "-auto-approve", ...rows.map((row) => `-replace=${row.address("other")}`)],
  },
  {
    title: "`-target`",
    write: "POST",
    name: "extra",
    declaration: withExtra,
    call: (rows) => ["apply", "-auto-approve", ...rows.map((row) => `-target=${row.address("extra")}`)],
  },
  { title: "removal", write: "DELETE", name: "extra", declaration: renamed },
  { title: "removal of all", write: "DELETE", name: "other", declaration: nothing },
  { title: "`destroy`", write: "DELETE", name: "stage", declaration: base, call: () => ["destroy", "-auto-approve"] },
];

/**
 * Tests rows of the matrix of docs/lifecycle.md with the real Terraform or OpenTofu: every transition under the failure of
 * each. The page is what is expected; a cell that says something else than what happens fails the test.
 */
export function testMatrix(binary: string, options: readonly RowOptions[]): void {
  let workspace: Workspace;
  let rows: MatrixRow[];
  let declaration = base;
  let workers = 2;

  beforeAll(async () => {
    workspace = new Workspace({ CLUSTER_PLATFORM_TOKEN: TOKEN, ...secrets }, binary);
    rows = await Promise.all(options.map((each, index) => MatrixRow.open(`row${index}`, { ...each, token: TOKEN })));
    await converge(base);
  }, 600_000);

  afterAll(async () => {
    workspace.remove();
    await Promise.all(rows.map((row) => row.simulator.close()));
  });

  test("every cell of docs/lifecycle.md is tested", () => {
    expect(Object.keys(expected)).toEqual(failures.map(({ title }) => title));
    for (const row of Object.values(expected)) expect(Object.keys(row)).toEqual(transitions.map(({ title }) => title));
  });

  test.each(transitions)(
    "$title",
    async ({ title, write, name, declaration: next = declaration, workers: count = workers, call }) => {
      if (title === "`destroy`") await converge(next);
      declaration = next;
      workers = count;
      synth({ failing: true });
      const siblings = rows.flatMap((row) => row.eventsOf("stage"));
      for (const row of rows) row.inject({ write, name });
      const outcome = await run(call?.(rows) ?? ["apply", "-auto-approve"]);

      const observed = Object.fromEntries(rows.map((row) => [row.title, outcome.of(row)]));
      if (process.env.SHOW_MATRIX) console.log(JSON.stringify({ title, observed }));
      const cells = Object.fromEntries(rows.map((row) => [row.title, cell(row, title)]));
      explaining(outcome.output, () => expect(observed).toEqual(cells));
      for (const row of rows) expect(row.violations()).toEqual([]);
      if (next !== nothing && title !== "`destroy`") expect(rows.flatMap((row) => row.eventsOf("stage"))).toEqual(siblings);

      for (const row of rows) row.heal();
      if (title === "`destroy`") {
        synth({ failing: false });
        const { status, output } = await run(["destroy", "-auto-approve"]);
        explaining(output, () => expect(status).toBe(0));
        declaration = nothing;
      } else {
        await converge(next);
        expect(await workspace.plan({ env: variables() })).toEqual([]);
      }
      for (const row of rows) {
        expect(row.live()).toEqual(row.expected(declaration));
        expect(row.violations()).toEqual([]);
      }
    },
    600_000,
  );

  function synth({ failing, suffix = "" }: { failing: boolean; suffix?: string }): void {
    workspace.synth((stack) => {
      const count = new TerraformVariable(stack, "workers", { type: "number" }).numberValue;
      for (const row of rows) row.declare(stack, declaration, { failing, suffix, workers: count });
    });
  }

  async function converge(next: Declaration): Promise<void> {
    declaration = next;
    synth({ failing: false });
    const { status, output } = await run(["apply", "-auto-approve"]);
    explaining(output, () => expect(status).toBe(0));
  }

  const variables = () => ({ TF_VAR_workers: String(workers) });

  /** Runs Terraform and tells how each row fared. */
  async function run(args: readonly string[]) {
    const { status, output } = await workspace.run([...args, "-json", "-parallelism=40", "-input=false"], { env: variables() });
    const failed = new Set<string>();
    const refused = new Set<string>();
    const said: string[] = [];
    for (const line of output.split("\n").filter((text) => text.startsWith("{"))) {
      const { type, hook, diagnostic, "@message": message } = JSON.parse(line) as Line;
      if (diagnostic) said.push(`${message}\n${diagnostic.detail}`);
      const row = /\.(row\d+)_/.exec(hook?.resource.addr ?? "")?.[1] ?? "";
      if (type === "provision_errored") failed.add(row);
      if (hook?.output?.includes("[NAME_TAKEN]")) refused.add(row);
    }
    const of = ({ id }: MatrixRow) => (refused.has(id) ? "refused" : failed.has(id) ? "next" : "same");
    return { status, of, output: said.join("\n") };
  }
}

/** What the page says of a transition; a failure that it has nothing to do with changes nothing. */
function cell({ failure }: MatrixRow, transition: string): string {
  const said = expected[failure.title]![transition]!;
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
