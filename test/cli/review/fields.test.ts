import { fieldChanges } from "../../../src/cli/review/judge/field-changes";
import { reviewJson } from "../../../src/cli/review/render/formats";
import { masked } from "../../../src/cli/review/render/masked";
import { reviewMarkdown } from "../../../src/cli/review/render/markdown";
import { reviewText } from "../../../src/cli/review/render/text";
import { shownValues } from "../../../src/cli/report/changes";
import { reasons } from "../../../src/cli/review/render/wording";
import { written } from "../../../src/cli/report/phrase";
import { looksSecret } from "../../../src/model/secret-field";
import { gated, planDocument, reviewDocument, reviewFixture } from "./plans";

const changesOf = (name: string, object = "capvs/clusters/prod") =>
  reviewFixture(name)
    .findings.find((finding) => finding.object === object)!
    .changes();

test.each(["change", "terraform_data/change"])(
  "a review names a changed field in this package's vocabulary, with both values: %s",
  (name) => {
    expect(changesOf(name)).toEqual([{ field: "controlPlane.count", before: "3", after: "5" }]);
  },
);

test("a review shows the declaration of a new object, and nothing of a deleted one", () => {
  expect(changesOf("create")).toContainEqual({ field: "controlPlane.count", before: null, after: "3" });
  expect(changesOf("remove", "capvs/clusters/stage")).toEqual([]);
});

test.each(["secrets", "terraform_data/secrets"])(
  "a review hides values that Terraform marks sensitive, and secrets by their key: %s",
  (name) => {
    const hidden = { before: null, after: null, hidden: true };
    expect(changesOf(name)).toEqual([
      { field: "bodyOverrides.cluster.acmeToken", ...hidden },
      { field: "bodyOverrides.cluster.cakey", ...hidden },
      { field: "bodyOverrides.cluster.note", before: '"shown"', after: '"shown too"' },
      { field: "podSubnet", ...hidden },
    ]);
  },
);

test("a review says that a value is known only after apply", () => {
  const { findings } = reviewFixture("unknown");
  expect(written(reasons(findings[0]!), (text) => text)).toContain("known after apply");
});

describe.each([
  ["before", "before_sensitive"],
  ["after", "after_sensitive"],
] as const)("the name of a provider that is sensitive %s", (_, marks) => {
  const document = planDocument("provider-in-use");
  for (const { change } of document.resource_changes) {
    if (change.before?.triggers?.provider) change[marks] = { triggers: { provider: true } };
  }
  const review = reviewDocument(document);

  test("is hidden wherever a cluster's provider is shown", () => {
    const of = (kind: string) => review.findings.filter((finding) => finding.kind === kind);
    expect(of("cluster").map(({ name, provider }) => [name, provider])).toEqual([
      ["stage", null],
      ["prod", null],
    ]);
  });

  test("still counts for the use of the provider", () => {
    expect(review.findings.map(({ verdict }) => verdict)).toEqual(["DESTROY", "REPLACE", "UNCHANGED"]);
  });
});

test("the name of a provider that looks like a secret is hidden wherever a cluster's provider is shown", () => {
  const document = planDocument("terraform_data/change");
  const secret = "https://user:hunter2@example.com";
  for (const { change } of document.resource_changes) {
    for (const values of [change.before, change.after]) {
      if (values?.triggers_replace?.provider) values.triggers_replace.provider = secret;
    }
  }
  const review = reviewDocument(document);
  expect(reviewJson(review, gated(review))).not.toContain("hunter2");
  expect(reviewMarkdown(review, gated(review), { id: "id", maxBytes: 60_000 })).not.toContain("hunter2");
});

test("a review names the field whose value is not known yet, if Terraform does", () => {
  expect(changesOf("terraform_data/unknown")).toEqual([
    { field: "podSubnet", before: "10.244.0.0/16", after: null, unknown: true },
  ]);
  // The legacy plugin shows the whole map as unknown.
  expect(changesOf("unknown")).toEqual([{ field: "*", before: null, after: null, unknown: true }]);
});

describe("a value that is masked", () => {
  const reports = (document: ReturnType<typeof planDocument>, hidden = "prod") => {
    const whole = reviewDocument(document);
    const { review, gate } = masked({ review: whole, gate: gated(whole) }, (value) => value.replaceAll(hidden, "XXX"));
    return [
      reviewJson(review, gate),
      reviewMarkdown(review, gate, { id: "id", maxBytes: 60_000 }),
      reviewText(review, gate, false),
    ];
  };

  test("is hidden in names, addresses, fields and values alike", () => {
    const [json] = reports(planDocument("register-and-replace"));
    expect(json).toContain("capvs/clusters/XXX");
    expect(json).toContain('capvs_clusters[\\"XXX\\"]');
  });

  test.each([
    "moved",
    "register-and-replace",
    "platform-renamed",
    "platform-renamed-adopt",
    "provider-in-use",
    "destroy-protected",
    "forgotten",
  ])("is not in the reports of %s", (name) => {
    for (const hidden of ["prod", "vsphere"]) {
      for (const report of reports(planDocument(name), hidden)) expect(report).not.toContain(hidden);
    }
  });

  test("keeps different names different, so that no format confuses two objects", () => {
    const document = planDocument("remove-all");
    const whole = reviewDocument(document);
    const rules = [{ rule: "forbid-destroy", objects: ["stage"] }];
    const gate = gated(whole, "none", { rules });
    const hidden = masked({ review: whole, gate }, (value) => value.replace(/prod|stage/g, "XXX"));
    expect(hidden.review.findings.map(({ name, object }) => `${name} ${object}`)).toEqual([
      "XXX capvs/clusters/XXX",
      "XXX (2) capvs/clusters/XXX (2)",
      "vsphere capvs/providers/vsphere",
    ]);
    expect(hidden.gate.denials).toMatchObject([{ object: "capvs/clusters/XXX (2)" }]);
  });

  test("is hidden in the address of a module", () => {
    const document = planDocument("terraform_data/change");
    for (const change of document.resource_changes) {
      change.module_address = 'module.fleet["prod"]';
      change.address = `module.fleet["prod"].${change.address}`;
    }
    for (const report of reports(document)) expect(report).not.toContain("prod");
  });
});

describe("a change that Terraform marks", () => {
  type Marks = { before?: unknown; after?: unknown; unknown?: unknown };
  const changed = (before: object | null, after: object | null, marks: Marks = {}) => {
    const of = (triggers: unknown) => (triggers === undefined ? undefined : { triggers });
    const change = {
      address: "a",
      type: "null_resource",
      name: "capvs_clusters",
      change: {
        actions: ["delete", "create"],
        before: before && { triggers: before },
        after: after && { triggers: after },
        before_sensitive: of(marks.before),
        after_sensitive: of(marks.after),
        after_unknown: of(marks.unknown),
      },
    };
    return fieldChanges(change, change);
  };
  const [one, two] = [
    { ingress: "a", network: "b" },
    { ingress: "c", network: "d" },
  ];
  const hidden = (field: string) => ({ field, before: null, after: null, hidden: true });
  const shown = [
    { field: "ingress", before: "a", after: "c" },
    { field: "network", before: "b", after: "d" },
  ];

  test.each<[string, Marks, object[]]>([
    ["all as sensitive, before", { before: true }, [hidden("ingress"), hidden("network")]],
    ["all as sensitive, after", { after: true }, [hidden("ingress"), hidden("network")]],
    ["one as sensitive, before", { before: { network: true }, after: {} }, [shown[0]!, hidden("network")]],
    ["one as sensitive, after", { before: {}, after: { network: true } }, [shown[0]!, hidden("network")]],
    ["what one holds as sensitive", { after: { network: { deeper: true } } }, [shown[0]!, hidden("network")]],
    ["none as sensitive", { before: false, after: { network: false } }, shown],
    ["nothing", { before: null, after: null, unknown: null }, shown],
  ])("%s hides exactly the marked values", (_, marks, expected) => {
    expect(changed(one, two, marks)).toEqual(expected);
  });

  test("as known later is shown on the known side, whether or not it will differ", () => {
    const unknown = { ingress: true, network: false, podSubnet: true };
    expect(changed(one, { network: "b" }, { unknown })).toEqual([
      { field: "ingress", before: "a", after: null, unknown: true },
      { field: "podSubnet", before: null, after: null, unknown: true },
    ]);
    expect(changed(one, one, { unknown: { ingress: true } })).toEqual([
      { field: "ingress", before: "a", after: null, unknown: true },
    ]);
    expect(changed(one, one, { unknown: true })).toEqual([{ field: "*", before: null, after: null, unknown: true }]);
  });

  test("as sensitive, and that is set or removed, is hidden on one side and shown as not set on the other", () => {
    const said = (before: object, after: object) => {
      const [change] = changed(before, after, { before: true, after: true });
      const sides = shownValues(change!, 60);
      return [change!.notSet, ...[sides.before, sides.after].map((side) => written(side, (text) => text))];
    };
    expect(said({}, { network: "b" })).toEqual(["before", "not set", "hidden"]);
    expect(said({ network: "b" }, {})).toEqual(["after", "hidden", "not set"]);
    expect(said({ network: "b" }, { network: "c" })).toEqual([undefined, "hidden", "hidden, changed"]);
  });

  test("as sensitive and known later, it is hidden", () => {
    expect(changed(one, one, { before: { ingress: true }, unknown: { ingress: true } })).toEqual([
      { field: "ingress", before: null, after: null, unknown: true, hidden: true },
    ]);
  });

  test("as a deletion or creation has its fields on one side", () => {
    expect(changed({ ingress: "a" }, { network: "b" })).toEqual([
      { field: "ingress", before: "a", after: null },
      { field: "network", before: null, after: "b" },
    ]);
    expect(changed({ ingress: "a" }, null)).toEqual([{ field: "ingress", before: "a", after: null }]);
  });
});

test("on fields with names of JavaScript's own properties is handled like any other", () => {
  const change = (before: object, after: object) => ({
    address: "a",
    mode: "managed",
    type: "null_resource",
    name: "capvs_clusters",
    change: { actions: ["delete", "create"], before: { triggers: before }, after: { triggers: after } },
  });
  const odd = change({ name: "prod" }, JSON.parse('{"name":"prod","constructor":"1","__proto__":"2"}') as object);
  expect(fieldChanges(odd, odd)).toEqual([
    { field: "__proto__", before: null, after: "2" },
    { field: "constructor", before: null, after: "1" },
  ]);
});

test.each([
  ["bodyOverrides.connectInfo.passwd", true],
  ["bodyOverrides.connectInfo.user", true],
  ["bodyOverrides.cluster.cakey", true],
  ["bodyOverrides.cluster.ingressCert", false],
  ["bodyOverrides.cluster.caCertificate", true],
  ["bodyOverrides.cluster.UserName", true],
  ["bodyOverrides.cluster.auth.pass", true],
  ["bodyOverrides.cluster.auth.method", true],
  ["bodyOverrides.cluster.basicAuth", true],
  ["bodyOverrides.cluster.basic_auth", true],
  ["bodyOverrides.cluster.userPass", true],
  ["bodyOverrides.cluster.db_pass", true],
  ["bodyOverrides.cluster.vpn.psk", true],
  ["bodyOverrides.cluster.kubeconfig", true],
  ["bodyOverrides.cluster.kubeConfigFile", true],
  ["bodyOverrides.cluster.userData", true],
  ['bodyOverrides.cluster[".dockerconfigjson"]', true],
  ["bodyOverrides.cluster.sshKeys[0]", true],
  ["bodyOverrides.cluster.keyPem", true],
  ["bodyOverrides.cluster.proxyBypass", false],
  ["bodyOverrides.cluster.author", false],
  ["bodyOverrides.cluster.authMode", false],
  ["bodyOverrides.cluster.keyspace", false],
  ["bodyOverrides.cluster.userDatabase", false],
  ["auth", false],
  ["psk", false],
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
  ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", true],
  ["gho_16C7e42F292c6912E7710c838347Ae178B4a", true],
  ["github_pat_11ABCDEFG0", true],
  ['"github_pat_11ABCDEFG0"', true],
  ["glpat-ABCdef_12345", true],
  ["AKIAIOSFODNN7EXAMPLE", true],
  ["xoxb-123-456", true],
  ["xoxa-2-123", true],
  ["xoxp-123", true],
  ["network-ghp_1", false],
  ["ghp", false],
  ["akia", false],
  ["https://example.com:8443/path", false],
  ["-----BEGIN CERTIFICATE-----", false],
])("by its value, %j is a secret: %p", (value, secret) => {
  expect(looksSecret("network", value)).toBe(secret);
});

test("a difference in long values is shown around the part that differs", () => {
  const services = Array.from({ length: 30 }, (_, index) => `product-service-${index}`).join(", ");
  const { before, after } = shownValues({ field: "services", before: services, after: `${services}, product-backup` }, 60);
  expect(written(before, (text) => text)).toMatch(/^….{1,20}$/);
  expect(written(after, (text) => text)).toMatch(/^….*product-backup$/);
});
