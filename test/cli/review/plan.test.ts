import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documentNames } from "../../../src/cli/report/document-names";
import { readDocument } from "../../../src/cli/report/document";
import { PLAN_DOCUMENT, planDigest, readPlan, withoutEntry } from "../../../src/cli/review/plan/plan";
import { stateObjects } from "../../../src/cli/drift/state-objects";
import { fixture, planDocument, type PlanDocument, reviewDocument } from "./plans";

const folder = mkdtempSync(join(tmpdir(), "cluster-platform-plan-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (content: string | Buffer) => {
  const file = join(folder, "plan.json");
  writeFileSync(file, content);
  return readPlan(readDocument(file, PLAN_DOCUMENT), file);
};

const NO_OP = { address: "a.b", type: "a", name: "b", change: { actions: ["no-op"] } };

test("a failed plan is not complete, and the blocks and instances without an entry in it are named", () => {
  const plan = read(readFileSync(fixture("errored")));
  expect(plan).toMatchObject({ errored: true, complete: false });
  expect(withoutEntry(plan)).toEqual(
    expect.arrayContaining(["terraform_data.cluster_platform_ready", 'null_resource.capvs_clusters["prod"]']),
  );
  // OpenTofu and older Terraform do not say whether a plan is complete.
  const { complete: _, ...document } = JSON.parse(readFileSync(fixture("errored"), "utf8")) as PlanDocument;
  expect(read(JSON.stringify(document))).toMatchObject({ errored: true, complete: false });
  expect(withoutEntry(read(readFileSync(fixture("provider/refused"))))).toEqual([
    "clusterplatform_capvs_cluster.prod",
    "clusterplatform_ready.capvs_cluster_ready_prod",
    "clusterplatform_ready.ready",
    "terraform_data.add_on",
    "clusterplatform_capvs_cluster.stage",
  ]);
  for (const name of ["change", "provider/everything", "provider/unchanged"]) {
    expect(read(readFileSync(fixture(name)))).toMatchObject({ errored: false, complete: true });
  }
});

test.each<[string, string | RegExp]>([
  ["", "got nothing"],
  ["PK\u0003\u0004\u0014", "convert it with 'terraform show -json PLAN'"],
  ["[command]/usr/bin/terraform show -json p\n{}", "terraform_wrapper: false"],
  ["Terraform will perform the following actions:", "add -json to 'terraform show'"],
  ["\u001b[0m\u001b[1mcapvs", "add -json to 'terraform show'"],
  [
    '{"@level":"info","@message":"Terraform 1.11.4"}\n{"@level":"info"}\n',
    "got the log of 'terraform plan -json'; run 'terraform plan -out PLAN', then 'terraform show -json PLAN'",
  ],
  ['{"format_version":"1.2"', "text that is not JSON"],
  ["[]", "'the document' is malformed"],
  ["null", "'the document' is malformed"],
  ["{}", "'format_version' is malformed"],
  ['{"format_version":"1.0","values":{}}', "got a state"],
  ['{"format_version":"1.0"}', "got a state"],
  ['{"format_version":"1.0","values":{},"planned_values":null,"resource_changes":null,"configuration":""}', "got a state"],
  ['{"format_version":"2.0","resource_changes":[]}', 'got format "2.0"; use a newer cluster-platform'],
  ['{"format_version":"0.2","resource_changes":[]}', 'got format "0.2"; use a newer Terraform'],
  ['{"format_version":"abc","resource_changes":[]}', /got format "abc"$/],
  ['{"format_version":"","resource_changes":[]}', /got format ""$/],
  ['{"format_version":"1","resource_changes":[]}', /got format "1"$/],
  ['{"format_version":"1.2","resource_changes":[{}]}', "'resource_changes[0]' is malformed"],
  [JSON.stringify({ format_version: "1.2", resource_changes: [{ ...NO_OP, previous_address: 1 }] }), "'resource_changes[0]'"],
  [
    JSON.stringify({ format_version: "1.2", resource_changes: [], resource_drift: [{ ...NO_OP, change: {} }] }),
    "'resource_drift[0]'",
  ],
  [
    JSON.stringify({ format_version: "1.2", resource_changes: [{ ...NO_OP, change: { actions: [["delete"]] } }] }),
    "'resource_changes[0]'",
  ],
])("the error names the problem with %j", (content, message) => {
  expect(() => read(content)).toThrow(expect.objectContaining({ code: "INVALID_DOCUMENT" }));
  expect(() => read(content)).toThrow(message);
});

test("null in place of a module or resource is ignored", () => {
  const document = planDocument("tainted");
  document.configuration!.root_module.module_calls = { gone: null };
  document.prior_state!.values.root_module.resources.unshift(null as never);
  const { state, configuration } = read(JSON.stringify(document));
  expect(state.map(({ address }) => address)).toContain('null_resource.capvs_clusters["prod"]');
  expect(configuration.find("", "null_resource.capvs_clusters")).toBeDefined();
  const bare = { format_version: "1.2", resource_changes: [], prior_state: { values: { root_module: null } } };
  expect(read(JSON.stringify({ ...bare, configuration: { root_module: null } }))).toMatchObject({
    state: [],
    configuration: { present: false },
  });
});

test("input that cannot be read is not quoted, because it may hold secrets", () => {
  expect(() => read('{"password":"hunter2hunter2", oops')).toThrow(/not JSON/);
  expect(() => read('{"password":"hunter2hunter2", oops')).not.toThrow(/hunter2/);
  expect(() => read("hunter2hunter2")).not.toThrow(/hunter2/);
});

test("UTF-16 and byte order marks are accepted, as PowerShell and others write them", () => {
  const text = JSON.stringify(planDocument("terraform_data/change"));
  for (const bytes of [Buffer.from(`\ufeff${text}`, "utf16le"), Buffer.from(`\ufeff${text}`, "utf8")]) {
    expect(read(bytes).changes.map(({ address }) => address)).toContain('terraform_data.capvs_clusters["prod"]');
  }
});

test("the error names the file that cannot be read", () => {
  expect(() => readDocument(join(folder, "missing.json"), PLAN_DOCUMENT)).toThrow(/missing\.json cannot be read \(ENOENT\)/);
});

describe.each([null, ""])("a field that is not set may be %j", (unset) => {
  /** Writes the fields that Terraform leaves out. */
  const written = (entry: object, fields: readonly string[]) => ({
    ...Object.fromEntries(fields.map((field) => [field, unset])),
    ...(unset === null && { index: null }),
    ...entry,
  });

  test.each(["change", "deposed", "moved", "destroy", "provider/everything", "provider/gone-from-code", "terraform_data/change"])(
    "in the plan of %s",
    (name) => {
      const document = planDocument(name);
      const expected = JSON.stringify(reviewDocument(document));
      const odd = structuredClone(document) as PlanDocument & { resource_drift?: PlanDocument["resource_changes"] };
      const fields = ["module_address", "previous_address", "mode", "deposed", "action_reason", "provider_name"];
      const withUnset = (change: (typeof odd.resource_changes)[number]) => ({
        ...written(change, fields),
        change: written(change.change, ["importing"]),
      });
      odd.resource_changes = odd.resource_changes.map(withUnset) as typeof odd.resource_changes;
      odd.resource_drift = (odd.resource_drift ?? []).map(withUnset) as typeof odd.resource_changes;
      const root = odd.prior_state?.values.root_module;
      if (root)
        root.resources = root.resources.map((each) => written(each, ["mode", "tainted", "deposed_key", "depends_on"])) as never;
      Object.assign(odd, written(odd, ["timestamp", "errored", "action_invocations"]));
      expect(JSON.stringify(reviewDocument(odd))).toBe(expected);
    },
  );

  test.each(["unchanged.state", "tainted.state", "provider/unchanged.state"])("in %s", (name) => {
    const document = planDocument(name) as unknown as Required<PlanDocument>["prior_state"];
    const objectsIn = (json: unknown) => JSON.stringify(stateObjects(json, "state", "state"));
    const expected = objectsIn(document);
    const root = document.values.root_module as { resources: object[]; child_modules?: unknown; address?: unknown };
    root.resources = root.resources.map((each) => written(each, ["mode", "tainted", "deposed_key", "depends_on"]));
    Object.assign(root, written(root, ["child_modules", "address"]));
    expect(objectsIn(document)).toBe(expected);
  });
});

test("an output may lack its actions", () => {
  const plan = {
    format_version: "1.2",
    resource_changes: [],
    output_changes: { a: { actions: "" }, b: { actions: null }, c: null },
  };
  expect(read(JSON.stringify(plan)).outputChanges).toBe(3);
});

test.each([
  [["prod.json"], ["prod"]],
  [["-"], ["standard input"]],
  [["plan.json"], ["plan"]],
  [["stacks/prod/plan.json"], ["prod"]],
  [
    ["prod.plan.json", "stage.tfplan.json"],
    ["prod", "stage"],
  ],
  [
    ["eu/tfplan.json", "us/tfplan.json"],
    ["eu", "us"],
  ],
  [
    ["a/prod.json", "b/prod.json", "c.json"],
    ["a/prod.json", "b/prod.json", "c"],
  ],
])("the stacks of %j are called %j", (files, names) => {
  expect(documentNames(files, "plan")).toEqual(names);
});

test("the digest of a plan is that of its JSON with sorted keys, as jq -S prints it, without the timestamp", () => {
  const ports = '{"443":1,"80":[{"10":null,"9":"a"}],"http":true}';
  const sorted = `{"format_version":"1.2","ports":${ports}}`;
  const plan = `{"timestamp":"2026-01-31T12:00:00Z","ports":{"http":true,"80":[{"9":"a","10":null}],"443":1},"format_version":"1.2"}`;
  expect(planDigest(JSON.parse(plan))).toBe(createHash("sha256").update(sorted).digest("hex"));
});
