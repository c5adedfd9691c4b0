import { reviewGitlab, reviewJson } from "../../../src/cli/review/render/formats";
import { reviewMarkdown } from "../../../src/cli/review/render/markdown";
import { reviewText } from "../../../src/cli/review/render/text";
import { gated, planDocument, reviewDocument, reviewFixture } from "./plans";

test("text shows a person at a terminal what is lost, why, and what was denied", () => {
  const review = reviewFixture("register-and-replace");
  const text = reviewText(review, gated(review), false);
  expect(text).toContain("Everything on prod is gone after this apply.");
  expect(text).toContain("REPLACE    cluster prod: emptied, 5 → 7 nodes");
  expect(text).toContain("controlPlane.count 3 → 5");
  expect(text).toMatch(/emptied, 5 → 7 nodes, product 2\.5\.0, on vsphere \[denied\]$/m);
  expect(text).not.toContain("\u001b");
  expect(reviewText(review, gated(review), true)).toContain("\u001b[31mREPLACE");
});

test.each(["protected-removal-and-replace", "destroy-protected"])(
  "text and Markdown announce no loss if the apply refuses before it: %s",
  (name) => {
    const review = reviewFixture(name);
    for (const report of [
      reviewText(review, gated(review), false),
      reviewMarkdown(review, gated(review), { id: "default", maxBytes: 60_000 }),
    ]) {
      expect(report).not.toContain("after this apply");
      expect(report).toMatch(/Nothing is deleted while `?(prod|stage)/);
    }
  },
);

test.each([
  ["tainted", "replace_because_tainted", ["delete", "create"]],
  ["replaced on request", "replace_by_request", ["delete", "create"]],
  ["replaced by triggers", "replace_by_triggers", ["delete", "create"]],
  ["updated in place", undefined, ["update"]],
])("text names the only changed field of an object that is %s", (_, reason, actions) => {
  const document = planDocument("change");
  const prod = document.resource_changes.find(({ index }) => index === "prod")!;
  prod.action_reason = reason;
  prod.change.actions = actions;
  const review = reviewDocument(document);
  expect(reviewText(review, gated(review), false)).toContain("; controlPlane.count 3 → 5\n");
});

test("text names the only changed field of an object that is created again at another address", () => {
  const document = planDocument("platform-renamed");
  const prod = document.resource_changes.find(({ index, change }) => index === "prod" && change.after !== null)!;
  prod.change.after!.triggers!["controlPlane.count"] = "5";
  const review = reviewDocument(document);
  expect(reviewText(review, gated(review), false)).toContain("; controlPlane.count 3 → 5\n");
});

test("text shows a change of sensitivity alone", () => {
  const review = reviewFixture("sensitivity");
  expect(reviewText(review, gated(review), false)).toContain("an update in place sends nothing: podSubnet\n");
});

test("text does not show the declaration of a new object as changes", () => {
  const review = reviewFixture("create", "adopt");
  expect(reviewText(review, gated(review), false)).not.toContain("controlPlane.count");
});

test("text and Markdown have a line for each type with changes, and one for all other types", () => {
  const document = planDocument("others");
  const [kept] = document.resource_changes.filter(({ name }) => name === "kept");
  for (const type of ["aws_instance", "aws_vpc"]) document.resource_changes.push({ ...kept!, type, address: `${type}.a` });
  const review = reviewDocument(document);
  const text = reviewText(review, gated(review), false);
  expect(text).toContain(
    "terraform_data: 1 deleted (terraform_data.gone), 1 created (terraform_data.new), 1 updated in place, 1 unchanged",
  );
  expect(text).toContain("2 other resources unchanged");
  expect(text).not.toContain("aws_");
  const markdown = reviewMarkdown(review, gated(review), { id: "default", maxBytes: 60_000 });
  expect(markdown).toContain("- of other types: 2 unchanged");
  expect(markdown).not.toContain("aws_");
});

test("text and json contain no characters of names that control the terminal", () => {
  const document = planDocument("change");
  const change = document.resource_changes.find(({ index }) => index === "prod")!;
  change.index = "prod\u001b[2J\nDenied: nothing";
  for (const values of [change.change.before, change.change.after]) values!.triggers!.name = change.index;
  const review = reviewDocument(document);
  expect(reviewText(review, gated(review), false)).toContain("cluster prod\\u{1b}[2J\\nDenied: nothing:");
  const reordered = reviewDocument(Object.assign(document, { terraform_version: "1.11.4\u202e" }));
  expect(reviewJson(reordered, gated(reordered))).toContain("1.11.4\\u202e");
});

test("json has a version, every finding with its data, and the gate", () => {
  const review = reviewFixture("change");
  const json = JSON.parse(reviewJson(review, gated(review))) as Record<string, unknown>;
  expect(Object.keys(json)).toEqual(["version", "changes", "stacks", "findings", "settings", "others", "notes", "gate"]);
  expect(json).toMatchObject({
    version: 1,
    changes: true,
    stacks: [
      {
        name: "change",
        terraformVersion: expect.stringMatching(/^1\./) as string,
        digest: null,
        errored: false,
        complete: true,
        counts: { REPLACE: 1 },
      },
    ],
    gate: { failOn: "critical", passed: false, denials: [{ code: "RISK", object: "capvs/clusters/prod" }], allowed: [] },
  });
  expect((json.findings as object[])[0]).toEqual({
    stack: "change",
    engine: "null_resource",
    verdict: "REPLACE",
    refused: false,
    risk: "critical",
    kind: "cluster",
    type: "capvs",
    name: "prod",
    object: "capvs/clusters/prod",
    platform: "",
    provider: "vsphere",
    before: { nodes: 5, version: "product 2.5.0", provider: "vsphere", cpus: 20, memoryGib: 40, diskGib: 300 },
    after: { nodes: 7, version: "product 2.5.0", provider: "vsphere", cpus: 28, memoryGib: 56, diskGib: 420 },
    address: 'null_resource.capvs_clusters["prod"]',
    path: null,
    declared: true,
    protected: false,
    unprotected: false,
    seen: false,
    reasons: [{ code: "CHANGED" }],
    dependents: [],
    service: null,
    changes: [{ field: "controlPlane.count", before: "3", after: "5" }],
  });
});

test("gitlab counts objects by what happens on the service, others by what Terraform does, and the Platform's own not at all", () => {
  const of = (...names: string[]) => JSON.parse(reviewGitlab(reviewFixture(...names))) as unknown;
  expect(of("change")).toEqual({ create: 1, update: 0, delete: 1 });
  expect(of("create")).toEqual({ create: 3, update: 0, delete: 0 });
  expect(of("protected-removal")).toEqual({ create: 0, update: 0, delete: 0 });
  expect(of("others")).toEqual({ create: 1, update: 1, delete: 1 });
  expect(of("change", "remove-all")).toEqual({ create: 1, update: 0, delete: 4 });
});
