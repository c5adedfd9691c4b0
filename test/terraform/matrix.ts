import type { ChildProcess } from "node:child_process";
import { TerraformVariable } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { secrets } from "../support/capvs";
import { cellOf, expectEveryCell } from "../support/matrix-pages";
import { type Backend, backends, providerBackend, providerBackends } from "../support/tools";
import { failures } from "./failures";
import { type Declaration, MatrixRow, type RowOptions } from "./matrix-row";
import { backendsInTurn, inRest } from "./test-on-backends";
import { Workspace } from "./workspace";

const TOKEN = "token-of-all-rows";

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

type Row = RowOptions & Pick<Backend, "binary">;

/**
 * `npm test` has every cell in the simulated world (test/world/matrix.test.ts), and `npm run test:rest` has one engine with hooks
 * and the provider. `npm run test:campaigns` has the rows that cannot share a stack.
 */
const rowsOfRun: readonly Row[] = failures.flatMap((failure) =>
  [backends.toSorted(defaultFirst), providerBackends]
    .flatMap((some) => backendsInTurn(inRest(some), 0).slice(0, process.env.TEST_BACKENDS === "all" ? undefined : 1))
    .map(({ binary, engine }) => ({ failure, binary, engine })),
);

/** With the provider, such a failure ends the run for all rows of a stack. */
const isAlone = ({ engine, failure }: Omit<Row, "binary">) => engine === Engine.PROVIDER && failure.onProvider !== undefined;

function defaultFirst(one: Backend, other: Backend): number {
  return Number(other.engine === Engine.NULL_RESOURCE) - Number(one.engine === Engine.NULL_RESOURCE);
}

/** Tests the rows of this run on an engine that can be in one stack, and that the page has a cell for each. */
export function testRowsOf(engine: Engine): void {
  test("every cell of the page is tested", () =>
    expectEveryCell(
      failures.map(({ title }) => title),
      transitions.map(({ title }) => title),
    ));

  const rows = rowsOfRun.filter((row) => row.engine === engine && !isAlone(row));
  for (const binary of new Set(rows.map((row) => row.binary))) {
    describe(`by ${binary}`, () =>
      testRows(
        binary,
        rows.filter((row) => row.binary === binary),
      ));
  }
}

/** Tests the other rows, each in a stack of its own. */
export function testRowsAlone(): void {
  const rows = failures.map((failure) => ({ failure, engine: Engine.PROVIDER })).filter(isAlone);
  for (const row of rows) describe(row.failure.title, () => testRows(providerBackend.binary, [row]));
}

/**
 * Tests the failures in test/world/tables.md in one stack with the real Terraform or
 * OpenTofu: every transition under the failure of each. The page is what is expected; a cell that says something else than
 * what happens fails the test.
 */
function testRows(binary: string, options: readonly RowOptions[]): void {
  let workspace: Workspace;
  let rows: MatrixRow[];
  let declaration = base;
  let workers = 2;

  beforeAll(async () => {
    workspace = new Workspace({ CLUSTER_PLATFORM_TOKEN: TOKEN, ...secrets }, binary);
    rows = await Promise.all(options.map((each, index) => MatrixRow.open(`row${index}`, { ...each, token: TOKEN })));
    await converge(base);
  });

  afterAll(async () => {
    workspace.remove();
    await Promise.all(rows.map((row) => row.simulator.close()));
  });

  test.each(transitions)(
    "$title",
    async ({ title, write, name, declaration: next = declaration, workers: count = workers, call }) => {
      if (title === "`destroy`") await converge(next);
      declaration = next;
      workers = count;
      synth({ failing: true });
      const siblings = rows.flatMap((row) => row.eventsOf("stage"));
      const writes = rows.map((row) => row.writes());
      for (const row of rows) row.inject({ write, name });
      const outcome = await run(call?.(rows) ?? ["apply", "-auto-approve"]);

      const observed = Object.fromEntries(rows.map((row) => [row.title, outcome.of(row)]));
      if (process.env.SHOW_MATRIX) console.log(JSON.stringify({ title, observed }));
      const cells = Object.fromEntries(rows.map((row) => [row.title, cell(row, title)]));
      explaining(outcome.output, () => expect(observed).toEqual(cells));
      // Whatever made the run fail is of a row.
      expect(outcome.status === 0).toBe(Object.values(observed).every((each) => each === "same"));
      rows.forEach((row, index) => {
        const isRefusedAtPlan = row.engine === Engine.PROVIDER && row.failure.onProvider === "fails the plan";
        if (isRefusedAtPlan && outcome.status !== 0) expect(row.writes()).toBe(writes[index]);
        expect(row.violations()).toEqual([]);
      });
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
    const started = (terraform: ChildProcess) => rows.forEach((row) => (row.terraform = terraform));
    const env = variables();
    const { status, output } = await workspace.run([...args, "-json", "-parallelism=40", "-input=false"], { env, started });
    const failed = new Set<string>();
    const refused = new Set<string>();
    const said: string[] = [];
    for (const line of output.split("\n").filter((text) => text.startsWith("{"))) {
      const { type, hook, diagnostic, "@message": message } = JSON.parse(line) as Line;
      if (diagnostic) said.push(`${message}\n${diagnostic.detail}`);
      const row = rowOf(hook?.resource.addr ?? diagnostic?.address);
      if (type === "provision_errored" || type === "apply_errored" || diagnostic?.severity === "error") failed.add(row);
      if (hook?.output?.includes("[NAME_TAKEN]") || diagnostic?.summary.includes("[NAME_TAKEN]")) refused.add(row);
    }
    const isOf = (some: ReadonlySet<string>, { id }: MatrixRow) => some.has(id) || (rows.length === 1 && some.size > 0);
    const of = (row: MatrixRow) => (isOf(refused, row) ? "refused" : isOf(failed, row) ? "next" : "same");
    return { status, of, output: said.join("\n") };
  }
}

/** What the page says of a transition. */
function cell({ failure }: MatrixRow, transition: string): string {
  return cellOf(failure.title, transition);
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
  readonly diagnostic?: {
    readonly severity: "error" | "warning";
    readonly summary: string;
    readonly detail: string;
    readonly address?: string;
  };
}

/** The id of the row that an address is about; empty where there is none. */
const rowOf = (address = "") => /[._](row\d+)_/.exec(address)?.[1] ?? "";
