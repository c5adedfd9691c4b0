import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { gated, planDocument, reviewDocument, reviewFixture } from "./plans";
import { reviewMarkdown } from "../../../src/cli/review/render/markdown";
import { reviewText } from "../../../src/cli/review/render/text";

const dependents = (review: ReturnType<typeof reviewFixture>) =>
  Object.fromEntries(
    review.findings
      .filter((finding) => finding.dependents.length > 0)
      .map((finding) => [finding.object, finding.dependents.map(({ address, replaced }) => `${address} ${replaced}`)]),
  );

test.each(["dependents", "dependents-by-local", "terraform_data/dependents"])(
  "what depends on a cluster, also by others, and is replaced with it stands under it: %s",
  (name) => {
    const review = reviewFixture(name);
    expect(dependents(review)).toEqual({
      "capvs/clusters/prod": ["terraform_data.fleet true", "terraform_data.flux true"],
    });
    const lines = reviewMarkdown(review, gated(review), { id: "default", maxBytes: 60_000 }).split("\n");
    const row = lines.findIndex((line) => line.startsWith("| 🔴 ⛔ | cluster"));
    expect(lines.slice(row + 1, row + 3)).toEqual([
      "| ↳ | `terraform_data.fleet` | replaced with it |  |",
      "| ↳ | `terraform_data.flux` | replaced with it |  |",
    ]);
    expect(reviewText(review, gated(review), false)).toContain("↳ terraform_data.fleet replaced with it\n");
  },
);

test("a local refers to instances, blocks, data sources and other locals", () => {
  const locals = {
    uids: ['${null_resource.capvs_clusters["prod"].id}'],
    all: "${[local.uids, data.http.kube.body, aws_vpc.main.id]}",
  };
  expect(new SynthesizedStack({ locals }).dependenciesOfLocals()).toEqual([
    { dependent: "local.uids", on: 'null_resource.capvs_clusters["prod"]' },
    { dependent: "local.all", on: "local.uids" },
    { dependent: "local.all", on: "data.http.kube" },
    { dependent: "local.all", on: "aws_vpc.main" },
  ]);
});

test("without the synthesized stack, a dependency through a local is not seen", () => {
  expect(dependents(reviewDocument(planDocument("dependents-by-local")))).toEqual({});
});

test("what depended on a cluster in the state and leaves the code with it stands under it, and under no other cluster", () => {
  expect(dependents(reviewFixture("dependents-removed"))).toEqual({
    "capvs/clusters/prod": ["terraform_data.fleet false", "terraform_data.flux false"],
  });
});

test("a data source and a call of a module pass a dependency on", () => {
  const document = planDocument("dependents");
  const root = document.configuration!.root_module as {
    resources: object[];
    module_calls?: object;
  };
  const reference = (...references: string[]) => ({ expressions: { input: { references } } });
  root.resources.push(
    { mode: "data", type: "http", name: "kube", ...reference('null_resource.capvs_clusters["prod"].id') },
    { mode: "managed", type: "aws_instance", name: "node", ...reference("data.http.kube.body", "data.http.kube") },
  );
  const resources = [{ mode: "managed", type: "aws_vpc", name: "inner", expressions: {} }];
  root.module_calls = { net: { ...reference("data.http.kube"), module: { resources } } };
  const change = { actions: ["delete"], before: {}, after: null };
  document.resource_changes.push(
    { address: "aws_instance.node", type: "aws_instance", name: "node", change },
    { address: "module.net.aws_vpc.inner", module_address: "module.net", type: "aws_vpc", name: "inner", change },
    { address: "aws_vpc.apart", type: "aws_vpc", name: "apart", change },
  );
  expect(dependents(reviewDocument(document))["capvs/clusters/prod"]).toEqual([
    "terraform_data.fleet true",
    "terraform_data.flux true",
    "aws_instance.node false",
    "module.net.aws_vpc.inner false",
  ]);
});

test("created resources of others have their addresses, and say if they have provisioners", () => {
  const document = planDocument("others");
  const { resources } = document.configuration!.root_module;
  resources.find(({ name }) => name === "new")!.provisioners = [{ type: "local-exec", expressions: {} }];
  const review = reviewDocument(document);
  expect(reviewText(review, gated(review), false)).toContain(
    "terraform_data: 1 deleted (terraform_data.gone), 1 created (terraform_data.new has provisioners), 1 updated in place",
  );
});
