import { fieldChanges } from "../../../src/cli/review/field-changes";
import { reviewJson } from "../../../src/cli/review/json";
import { readPlan } from "../../../src/cli/review/plan";
import { reviewPlans } from "../../../src/cli/review/review-plans";
import { shownValues, reasons } from "../../../src/cli/review/wording";
import { written } from "../../../src/cli/report/phrase";
import { looksSecret } from "../../../src/cli/report/secret-field";
import { carriers } from "../../support/tools";
import { gated, planDocument, reviewFixture } from "./plans";

const changesOf = (folder: string, name: string, object = "capvs/clusters/prod") =>
  reviewFixture(folder, name)
    .findings.find((finding) => finding.object === object)!
    .changes();

describe.each(carriers)("on %s", (carrier) => {
  test("names a changed field in our vocabulary, with both values", () => {
    expect(changesOf(carrier, "change")).toEqual([{ field: "controlPlane.count", before: "3", after: "5" }]);
  });

  test("shows what is declared of a new object, and nothing of one that goes", () => {
    expect(changesOf(carrier, "create")).toContainEqual({ field: "controlPlane.count", before: null, after: "3" });
    expect(changesOf(carrier, "remove", "capvs/clusters/stage")).toEqual([]);
  });

  test("hides what Terraform marks sensitive and what is a secret by its key, and shows the rest", () => {
    const hidden = { before: null, after: null, hidden: true };
    expect(changesOf(carrier, "secrets")).toEqual([
      { field: "bodyOverrides.cluster.acmeToken", ...hidden },
      { field: "bodyOverrides.cluster.cakey", ...hidden },
      { field: "bodyOverrides.cluster.note", before: "shown", after: "shown too" },
      { field: "podSubnet", ...hidden },
    ]);
  });

  test("says that a value is known after apply only", () => {
    const { findings } = reviewFixture(carrier, "unknown");
    expect(written(reasons(findings[0]!), (text) => text)).toContain("known after apply");
  });
});

test("names the field whose value is not known yet, where Terraform does", () => {
  expect(changesOf("terraform_data", "unknown")).toEqual([
    { field: "podSubnet", before: "10.244.0.0/16", after: null, unknown: true },
  ]);
  // The legacy plugin gives up the whole map.
  expect(changesOf("null_resource", "unknown")).toEqual([{ field: "*", before: null, after: null, unknown: true }]);
});

test("masks a value in names, addresses, fields and values alike", () => {
  const plan = readPlan(planDocument("terraform_data", "register-and-replace"), "plan.json");
  const review = reviewPlans([{ name: "stack", plan }], (value) => value.replaceAll("prod", "XXX"));
  const text = reviewJson(review, gated(review));
  expect(text).not.toContain("prod");
  expect(text).toContain("capvs/clusters/XXX");
  expect(text).toContain('capvs_clusters[\\"XXX\\"]');
});

test("is not misled by fields that are called like what every JavaScript object has", () => {
  const change = (before: object, after: object) => ({
    address: "a",
    mode: "managed",
    type: "null_resource",
    name: "capvs_clusters",
    change: { actions: ["delete", "create"], before: { triggers: before }, after: { triggers: after } },
  });
  const odd = change({ name: "prod" }, JSON.parse('{"name":"prod","constructor":"1","__proto__":"2"}') as object);
  expect(fieldChanges(odd, odd, (text) => text)).toEqual([
    { field: "__proto__", before: null, after: "2" },
    { field: "constructor", before: null, after: "1" },
  ]);
});

test.each([
  ["bodyOverrides.connectInfo.passwd", true],
  ["bodyOverrides.connectInfo.user", true],
  ["bodyOverrides.cluster.cakey", true],
  ["bodyOverrides.cluster.ingressCert", false],
  ['hosts["10.0.0.1"].labels.api-token', true],
  ["workers.gpu.selector.matchExpressions[0].key", false],
  ["credentialsVersion", false],
  ["sshKeyName", false],
  ["username", false],
  ["controlPlane.count", false],
])("by its key, %s is a secret: %p", (field, secret) => {
  expect(looksSecret(field)).toBe(secret);
});

test.each([
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE", true],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", true],
  ["https://user:pass@example.com", true],
  ["https://example.com:8443/path", false],
  ["-----BEGIN CERTIFICATE-----", false],
])("by its value, %j is a secret: %p", (value, secret) => {
  expect(looksSecret("network", value)).toBe(secret);
});

test("of long values shows the part in which they differ", () => {
  const services = Array.from({ length: 30 }, (_, index) => `product-service-${index}`).join(", ");
  const { before, after } = shownValues({ field: "services", before: services, after: `${services}, product-backup` }, 60);
  expect(written(before, (text) => text)).toMatch(/^….{1,20}$/);
  expect(written(after, (text) => text)).toMatch(/^….*product-backup$/);
});
