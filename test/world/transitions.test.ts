import { existsSync } from "node:fs";
import { table } from "../support/docs-table";
import { LAB, type Program, URLS } from "./programs";
import { replay } from "./shrink";
import { CALM, type Step } from "./steps";

/**
 * The tables in tables.md that say what an edit leads to. The rows are played, and the
 * words of a row must say what happened.
 */

/** What the last step leads to. */
type Outcome = keyof typeof WORDS;

const WORDS = {
  "nothing is sent": /\bnothing\b|no request|warning|passes with/,
  "the run is refused": /refused|fails|creates and deletes nothing/,
  "it is replaced": /deleted(, then| and) created/,
  "the one is deleted, the other created": /is deleted, the new one is created/,
  "it is deleted": /deleted|destroyed|clusters, then providers/,
  "it is created": /is applied|are applied/,
  "it is forgotten": /forgets/,
};

interface Edit extends Partial<Program> {
  readonly run?: Omit<Step, "program">;
}

interface Case {
  /** The program of a step has all that the programs before it have. */
  readonly steps: readonly Edit[];
  readonly then: Outcome;
  /** In order. @default those of c1 */
  readonly writes?: string;
}

/** The suite that has a row with what the world cannot express. */
type Elsewhere = `test/${string}.test.ts`;
type Rows = Readonly<Record<string, readonly Case[] | Elsewhere>>;

const WRITES: Readonly<Record<Outcome, string>> = {
  "nothing is sent": "",
  "the run is refused": "",
  "it is replaced": "-c1 +c1",
  "the one is deleted, the other created": "-c1 +c2",
  "it is deleted": "-c1",
  "it is created": "+c1",
  "it is forgotten": "",
};

const BOTH = { clusters: { c1: 0, c3: 0 } } as const;
const CHANGED = { clusters: { c1: 1, c3: 0 } } as const;
const WITHOUT_C1 = { clusters: { c3: 0 } } as const;
const BESIDE = { clusters: { c3: 0 }, beside: { clusters: { c1: 0 }, url: URLS[1] } } as const;

const FORBIDDEN = { method: "DELETE", skip: 0, times: Infinity, fault: { kind: "refuse", status: 403 } } as const;

const refused = (...steps: Case["steps"]): Case => ({ steps, then: "the run is refused" });
const nothing = (...steps: Case["steps"]): Case => ({ steps, then: "nothing is sent" });
const replaced = (...steps: Case["steps"]): Case => ({ steps, then: "it is replaced" });
const deleted = (writes: string, ...steps: Case["steps"]): Case => ({ steps, then: "it is deleted", writes });
const forgotten = (...steps: Case["steps"]): Case => ({ steps, then: "it is forgotten" });

const WITH_HOOKS: Rows = {
  "nothing; ids of constructs, their order, their place in the tree; the id of the Platform's construct": [
    nothing(BOTH, { run: { faults: [{ method: "GET", skip: 0, times: Infinity, fault: { kind: "drop" } }] } }),
  ],
  "deletionProtection, allowDeletion, retain, adopt, tls, timeouts, values of secrets": [
    nothing(BOTH, { retain: ["c1"], createSeconds: 30, adopt: true }),
    nothing(BOTH, { isProtected: true, allowDeletion: ["c1"] }),
  ],
  "url of the Platform": [
    nothing({ ...BOTH, url: URLS[0] }, { url: URLS[2] }),
    refused({ ...BOTH, url: URLS[0] }, { url: URLS[1] }),
  ],
  "a field, or the value of a token; -replace=ADDRESS": [replaced(BOTH, CHANGED), replaced(BOTH, { run: { replace: ["c1"] } })],
  "the name of an object": [{ steps: [BOTH, { clusters: { c2: 0, c3: 0 } }], then: "the one is deleted, the other created" }],
  "a construct leaves the code": [deleted("-c1", BOTH, WITHOUT_C1)],
  "an object moves to another Platform of the stack": [deleted("-c1", BOTH, BESIDE)],
  "terraform import of an instance": "test/terraform/imported-instance.test.ts",
  "terraform state mv of an instance to another key of its block": [
    refused(BOTH, { run: { state: { act: "mv", name: "c1", to: "c2" } } }),
    deleted("-c1", BOTH, { ...WITHOUT_C1, run: { state: { act: "mv", name: "c1", to: "c2" } } }),
  ],
  "terraform taint": [
    refused(BOTH, { run: { state: { act: "taint", name: "c1" } } }),
    nothing(BOTH, { run: { state: { act: "taint", name: "c1" } } }, { run: { state: { act: "untaint", name: "c1" } } }),
  ],
  "-target of a cluster": [
    { steps: [WITHOUT_C1, { clusters: { c1: 0, c2: 0, c3: 0 }, run: { target: ["c1"] } }], then: "it is created" },
    {
      steps: [WITHOUT_C1, { clusters: { c1: 0, c2: 0, c3: 0 }, run: { target: ["c1"] } }, {}],
      then: "it is created",
      writes: "+c2",
    },
    refused({ clusters: { c2: 0, c3: 0 } }, { clusters: { c1: 0, c3: 0 }, run: { target: ["c1"] } }),
    // A removal that fails delays the creation.
    refused({ clusters: { c2: 0, c3: 0 } }, { clusters: { c1: 0, c3: 0 }, run: { faults: [FORBIDDEN] } }),
    { ...refused({ clusters: { c1: 0, c2: 0 } }, { clusters: { c1: 1 }, run: { target: ["c1"] } }), writes: "-c1" },
    deleted("-c2 +c1", { clusters: { c1: 0, c2: 0 } }, { clusters: { c1: 1 }, run: { target: ["c1"] } }, {}),
  ],
  "destroy -target of a provider": [
    deleted("-c1 -vsphere", { clusters: { c1: 0 } }, { run: { operation: "destroy", target: ["vsphere"] } }),
  ],
  destroy: [
    deleted("-c1 -vsphere", { clusters: { c1: 0 } }, { run: { operation: "destroy" } }),
    deleted("-c1", BOTH, { retain: ["c3", "vsphere"], run: { operation: "destroy" } }),
  ],
  engine: [refused({ ...BOTH, engine: "null_resource" }, {})],
  "the name of a Platform": [refused(BOTH, { platform: LAB })],
  "a Platform leaves the code": [forgotten(BOTH, { carrier: "nothing" })],
};

const WITH_THE_PROVIDER: Rows = {
  "nothing changed": [nothing(BOTH, {})],
  "a changed field, or a field with a value that is not known yet": [replaced(BOTH, CHANGED)],
  'any other JSON in bodyOverrides: another type (3 instead of "3"), another order of a list, a secret that is added or removed':
    "test/plugin/object-plan.test.ts",
  "a default that is now written out, another source of a secret, a changed protection or adopt": [
    nothing(BOTH, { adopt: true }),
    nothing(BOTH, { isProtected: true }),
  ],
  "another path of the construct in the tree": "test/plugin/object-plan.test.ts",
  "a live value that differs from the declaration": [
    nothing(BOTH, { run: { other: { act: "recreates", name: "c1", variant: 1 } } }),
  ],
  "that live value is now declared": [
    nothing(BOTH, { ...CHANGED, run: { other: { act: "recreates", name: "c1", variant: 1 } } }),
  ],
  "a changed field of an object in retain with adopt": [
    nothing(BOTH, { ...CHANGED, retain: ["c1"], adopt: true, run: { other: { act: "recreates", name: "c1", variant: 1 } } }),
  ],
  "a live object of another type, or on another provider": [
    nothing(BOTH, { run: { other: { act: "recreates", name: "c1", variant: 0, on: "elsewhere" } } }),
    refused(BOTH, { ...WITHOUT_C1, run: { other: { act: "recreates", name: "c1", variant: 0, on: "elsewhere" } } }),
    refused(BOTH, { ...CHANGED, run: { other: { act: "recreates", name: "c1", variant: 0, on: "elsewhere" } } }),
  ],
  "a provider that is deleted or replaced, while clusters use it that the plan neither deletes nor moves": [
    refused(BOTH, { provider: 1 }),
    refused(BOTH, { provider: 1, run: { operation: "destroy" } }),
    refused(BOTH, { run: { operation: "destroy", other: { act: "creates", name: "c2", variant: 0 } } }),
  ],
  "an object leaves the code": [
    deleted("-c1", BOTH, WITHOUT_C1),
    deleted("-c1 -vsphere", { clusters: { c1: 0 } }, { run: { operation: "destroy" } }),
  ],
  "another name at the same address, as after terraform state mv": [
    {
      steps: [BOTH, { clusters: { c2: 0, c3: 0 }, run: { state: { act: "mv", name: "c1", to: "c2" } } }],
      then: "the one is deleted, the other created",
    },
    {
      steps: [BOTH, { clusters: { c2: 0, c3: 0 }, retain: ["c1"], run: { state: { act: "mv", name: "c1", to: "c2" } } }],
      then: "the one is deleted, the other created",
      writes: "+c2",
    },
  ],
  "a deletion or replacement of a protected object: its removal, a changed field, -replace, a taint, or destroy": [
    refused({ ...BOTH, isProtected: true }, WITHOUT_C1),
    refused({ ...BOTH, isProtected: true }, CHANGED),
    refused({ ...BOTH, isProtected: true }, { run: { replace: ["c1"] } }),
    refused({ ...BOTH, isProtected: true }, { run: { state: { act: "taint", name: "c1" } } }),
    refused({ ...BOTH, isProtected: true }, { run: { operation: "destroy" } }),
  ],
  "the Platform of an object left the code, or has another name without moved blocks": [
    refused(BOTH, { carrier: "nothing" }),
    refused(BOTH, { platform: LAB }),
  ],
  "an object in retain leaves the code": [forgotten(BOTH, { ...WITHOUT_C1, retain: ["c1"] })],
  "an entry of retain that names nothing in the code and nothing on the service": [
    refused(BOTH, { ...WITHOUT_C1, retain: ["c9"] }),
    refused(BOTH, { ...CHANGED, retain: ["c9"] }),
  ],
  "a replacement of a cluster on a provider by fromName that the service does not have, or whose templates do not offer the kubernetesVersion":
    "test/terraform/needs.test.ts",
  "a new object whose name is taken": [
    refused(BOTH, { clusters: { c1: 0, c2: 0, c3: 0 }, run: { other: { act: "creates", name: "c2", variant: 0 } } }),
    nothing(BOTH, { clusters: { c1: 0, c2: 0, c3: 0 }, adopt: true, run: { other: { act: "creates", name: "c2", variant: 0 } } }),
  ],
  "a destroy while somebody else has the name of an object that is declared and was never created": [
    refused(
      { clusters: { c1: 0 } },
      {
        clusters: { c1: 0, c2: 0 },
        run: { operation: "destroy", other: { act: "creates", name: "c2", variant: 0, on: "elsewhere" } },
      },
    ),
  ],
  "a name that moves to another address without moved": "test/plugin/object-plan.test.ts",
  "-target of an address to which terraform state mv has moved an object that the code declares at another one": [
    refused(BOTH, { run: { state: { act: "mv", name: "c1", to: "c2" }, target: ["c2"] } }),
  ],
  "two blocks or instances with the same name": "test/plugin/object-plan.test.ts",
  "a cluster that changes its type and keeps its name": "test/plugin/object-plan.test.ts",
  "a state that names another service than the URL of the run": [
    nothing(BOTH, { run: { url: URLS[2] } }),
    refused(BOTH, { run: { url: URLS[1] } }),
    refused(BOTH, { ...WITHOUT_C1, run: { url: URLS[2] } }),
    refused(BOTH, { run: { operation: "destroy", url: URLS[2] } }),
  ],
  "a saved plan that is applied with another URL of the service": [
    refused(BOTH, { ...WITHOUT_C1, run: { operation: "plan" } }, { run: { operation: "apply the plan", url: URLS[1] } }),
  ],
  "an object of an interrupted create that is neither declared nor in the state": "test/terraform/provider-orphans.test.ts",
  "an import": "test/plugin/import.test.ts",
  "an import of an object that is neither in the state nor on the service, as after a replacement that ended before the creation":
    [refused(WITHOUT_C1, { ...BOTH, run: { import: { name: "c1", id: "c1" } } })],
  "an imported object that leaves the code before its first apply, alone or with its Platform": "test/plugin/object-plan.test.ts",
};

describe.each([
  ["terraform_data", "| what changes | what happens |", WITH_HOOKS],
  ["provider", "| what a plan finds | what it plans |", WITH_THE_PROVIDER],
] as const)("the table of edits with %s", (engine, header, rows) => {
  const said = Object.fromEntries(table("test/world/tables.md", header).map(([edit, what]) => [edit!, what!]));

  test("has these rows", () => expect(Object.keys(said)).toEqual(Object.keys(rows)));

  test.each(Object.entries(rows))("%s", async (edit, cases) => {
    if (typeof cases === "string") return expect({ cases, exists: existsSync(cases) }).toEqual({ cases, exists: true });
    for (const { steps, then, writes = WRITES[then] } of cases) {
      expect(said[edit]).toMatch(WORDS[then]);
      expect({ steps, ...(await played(engine, steps)) }).toEqual({
        steps,
        writes,
        isOk: then !== "the run is refused",
        hasC1: then === "it is forgotten" ? false : (expect.anything() as boolean),
        violations: [],
      });
    }
  });
});

async function played(engine: Program["engine"], edits: readonly Edit[]) {
  let program: Program = { engine, clusters: {} };
  const steps: Step[] = edits.map(({ run, ...edit }) => {
    program = { ...program, engine, ...edit };
    return { program, ...run };
  });
  const { log, service, violations } = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  const last = steps.length;
  const [run] = log
    .join("\n")
    .split(/^(?=run \d+ on )/m)
    .filter((each) => each.startsWith(`run ${last} `));
  return {
    writes: service.writesOf(last),
    isOk: /^run \d+ on \S+: [\w ]+ succeeds/.test(run!),
    hasC1: /^ {2}state: .*\bc1\b/m.test(run!),
    violations,
  };
}
