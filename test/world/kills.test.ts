import { table } from "../support/docs-table";
import type { Effect } from "./kernel";
import type { Program } from "./programs";
import type { PlannedFault } from "./service";
import { replay } from "./shrink";
import { CALM, type Step, type Stop } from "./steps";

/**
 * The tables in tables.md that say what a kill leads to. For each cell, the run is stopped
 * in each way of the column at each moment of the row, and an apply of the same code follows. The words of the cell must say what
 * happened.
 */

type Edit = readonly [before: Program["clusters"], after: Program["clusters"]];

const WITHOUT_C1 = { c3: 0 } as const;
const WITH_C1 = { c1: 0, c3: 0 } as const;
const CREATE: Edit = [WITHOUT_C1, WITH_C1];
/** Lists do not show the field that changes, so a plan cannot see what the new object has. */
const REPLACE: Edit = [WITH_C1, { c1: 2, c3: 0 }];
const REMOVE: Edit = [WITH_C1, WITHOUT_C1];

interface Row {
  readonly edit: Edit;
  readonly before: readonly (readonly [Effect, nth: number])[];
  readonly waitForReady?: boolean;
  readonly isRemote?: boolean;
  /** Whether the service also loses the write, in a second play. */
  readonly mayBeLost?: true;
  /** What happens in each column. */
  readonly ends: readonly (readonly End[])[];
}

/** The writes and the state of the run that is stopped, the writes of the next apply, and the words for it. */
type End = keyof typeof WORDS;

const CREATED_NOW = "+c1, c1, then nothing";
const CREATED_NEXT = "nothing, no c1, then +c1";
const CONTINUED_NEXT = "+c1, no c1, then nothing";
const TAINTED_AND_CREATED = "nothing, c1 tainted, then +c1";
const TAINTED_AND_CONTINUED = "+c1, c1 tainted, then nothing";
const DELETED_NEXT = "nothing, c1, then -c1";
const CONFIRMED_NEXT = "-c1, c1, then nothing";
const REPLACED_NOW = "-c1 +c1, c1, then nothing";
const REPLACED_NEXT = "-c1, c1, then +c1";

const WORDS = {
  [CREATED_NOW]: /the state has (the object|it)|nothing is undone/,
  [CREATED_NEXT]: /nothing is changed|creates (or adopts )?it/,
  [CONTINUED_NEXT]: /finds it (by|with)/,
  [TAINTED_AND_CREATED]: /^tainted; .*creates it/,
  [TAINTED_AND_CONTINUED]: /^tainted; .*continues with it/,
  [DELETED_NEXT]: /the next apply deletes it/,
  [CONFIRMED_NEXT]: /makes sure that it is gone/,
  [REPLACED_NOW]: /Terraform saves it|continues with the new object and deletes nothing/,
  [REPLACED_NEXT]: /the next apply creates it/,
};

const underWay = (method: "POST" | "DELETE"): Row["before"] =>
  (["arrives", "carried out", "answered"] as const).map((what) => [`${what} ${method}`, 1]);
const looks = (...nths: number[]): Row["before"] => nths.map((nth) => ["sends GET", nth]);

const OF_HOOKS: Readonly<Record<string, Row>> = {
  "before the POST": {
    edit: CREATE,
    before: looks(1),
    ends: [[TAINTED_AND_CREATED], [CONTINUED_NEXT]],
  },
  "the POST is under way or carried out, and the hook has not ended": {
    edit: CREATE,
    before: underWay("POST"),
    mayBeLost: true,
    ends: [
      [TAINTED_AND_CREATED, TAINTED_AND_CONTINUED, CREATED_NOW],
      [CONTINUED_NEXT, CREATED_NEXT],
    ],
  },
  "waiting for clusters": { edit: CREATE, waitForReady: true, before: looks(2, 4), ends: [[CREATED_NOW], [CREATED_NOW]] },
  "before the DELETE": { edit: REMOVE, before: looks(1, 2), ends: [[DELETED_NEXT], [DELETED_NEXT]] },
  "the DELETE is under way, or carried out and not answered": {
    edit: REMOVE,
    before: underWay("DELETE"),
    ends: [[CONFIRMED_NEXT], [CONFIRMED_NEXT]],
  },
};

const OF_THE_PROVIDER: Readonly<Record<string, Row>> = {
  "the refresh, the plan, an import": { edit: CREATE, before: looks(1, 2), ends: [[CREATED_NEXT], [CREATED_NEXT]] },
  "before the POST, in an adoption": {
    edit: CREATE,
    before: looks(4),
    ends: [[CREATED_NEXT], [CREATED_NEXT]],
  },
  "the POST is under way, or carried out and not answered": {
    edit: CREATE,
    before: underWay("POST"),
    mayBeLost: true,
    ends: [
      [CREATED_NOW, CREATED_NEXT],
      [CONTINUED_NEXT, CREATED_NEXT],
    ],
  },
  "the plugin has answered, and Terraform has not saved its state": {
    edit: REPLACE,
    isRemote: true,
    before: [["writes the state", 1]],
    ends: [[REPLACED_NOW], [REPLACED_NOW]],
  },
  "between the deletion and the creation of a replacement": {
    edit: REPLACE,
    before: [["answered DELETE", 1]],
    ends: [[REPLACED_NEXT], [REPLACED_NEXT]],
  },
  "waiting for clusters": { edit: CREATE, waitForReady: true, before: looks(6, 8), ends: [[CREATED_NOW], [CREATED_NOW]] },
  "the DELETE is under way, carried out and not answered, or not confirmed by a list": {
    edit: REMOVE,
    before: underWay("DELETE"),
    ends: [[CONFIRMED_NEXT], [CONFIRMED_NEXT]],
  },
};

const TOLD: readonly Stop[] = ["SIGINT", "SIGINT to all", "SIGTERM to all"];

const HOOKS = {
  rows: OF_HOOKS,
  columns: {
    "Terraform or the hook is told to stop, or the hook is killed": [...TOLD, "SIGKILL of a child", "SIGKILL of the children"],
    "Terraform is killed (`SIGKILL`)": ["SIGKILL of Terraform"],
  },
} as const;

const THE_PROVIDER = {
  rows: OF_THE_PROVIDER,
  columns: {
    "Terraform is told to stop (Ctrl-C, `SIGTERM`)": TOLD,
    "Terraform, the plugin or both are killed (`SIGKILL`)": [
      "SIGKILL of a child",
      "SIGKILL of the children",
      "SIGKILL of Terraform",
      "the machine dies",
    ],
  },
} as const;

describe.each([
  ["terraform_data", HOOKS],
  ["null_resource", HOOKS],
  ["provider", THE_PROVIDER],
] as const)("the table of kills, with %s", (engine, { rows, columns }) => {
  const said = table("test/world/tables.md", `| | ${Object.keys(columns).join(" | ")} |`);

  test("has these rows", () => expect(said.map(([when]) => when)).toEqual(Object.keys(rows)));

  test.each(Object.entries(rows))("%s", async (when, row) => {
    const line = said.findIndex(([each]) => each === when);
    for (const [column, stops] of Object.values(columns).entries()) {
      const plays = row.before.flatMap((at) =>
        stops.flatMap((how) => (row.mayBeLost ? [undefined, LOST] : [undefined]).map((faults) => ({ at, how, faults }))),
      );
      const ends = new Set<string>();
      for (const play of plays) ends.add(await played(engine, row, play));
      expect([...ends].sort()).toEqual([...row.ends[column]!].sort());
      for (const end of row.ends[column]!) expect(words(said, line, column)).toMatch(WORDS[end]);
    }
  });
});

/** The words of a cell, which may refer to the one above or before it. */
function words(said: readonly (readonly string[])[], line: number, column: number): string {
  const cell = said[line]![column + 1]!;
  if (cell === "the same") return words(said, line, column - 1);
  return cell.startsWith("as above") ? `${words(said, line - 1, column)}${cell}` : cell;
}

const LOST: readonly PlannedFault[] = [{ method: "POST", of: "clusters", skip: 0, times: 1, fault: { kind: "hang" } }];

interface Stopped {
  readonly at: Row["before"][number];
  readonly how: Stop;
  readonly faults?: Step["faults"];
}

async function played(
  engine: Program["engine"],
  { edit, waitForReady = false, isRemote = false }: Row,
  { at: [before, nth], how, faults }: Stopped,
): Promise<string> {
  const setup = { engine, ...CALM, waitForReady, isRemote };
  const [first, next] = edit.map((clusters): Step => ({ program: { engine, clusters, waitForReady } })) as [Step, Step];
  const steps = [first, { ...next, stop: { at: { before, nth }, how }, ...(faults && { faults }) }, next];
  const { log, service, violations } = await replay({ setup, seed: 1, steps });
  const stopped = log.findIndex((line) => line.startsWith(`  * ${how} before ${before}`));
  expect({ violations, wasStopped: stopped >= 0 }).toEqual({ violations: [], wasStopped: true });
  const state = log
    .slice(stopped)
    .join("\n")
    .match(/^ {2}state: .*/m)![0];
  const c1 = /\bc1\b(?<taint>[^,]*tainted)?/.exec(state);
  return `${service.writesOf(2) || "nothing"}, ${c1 ? (c1.groups!.taint ? "c1 tainted" : "c1") : "no c1"}, then ${service.writesOf(3) || "nothing"}`;
}
