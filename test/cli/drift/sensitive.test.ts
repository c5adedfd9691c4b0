import { stateObjects } from "../../../src/cli/drift/state-objects";

function hidden(declared: object, marks: unknown, ...fields: string[]): string[] {
  const resource = {
    address: 'null_resource.capvs_clusters["prod"]',
    mode: "managed",
    type: "null_resource",
    name: "capvs_clusters",
    index: "prod",
    values: { triggers: { name: "prod", ...declared } },
    sensitive_values: marks === undefined ? {} : { triggers: marks },
  };
  const [object] = stateObjects({ format_version: "1.0", values: { root_module: { resources: [resource] } } }, "file", "state");
  return fields.filter((field) => object!.isSensitive(field));
}

test.each([
  ["nothing", undefined, []],
  ["nothing explicitly", { podSubnet: false }, []],
  ["null", null, []],
  ["a field", { podSubnet: true }, ["podSubnet"]],
  ["a field, deeper", { podSubnet: { deeper: true } }, ["podSubnet"]],
  ["everything", true, ["podSubnet", "ingress", "provider"]],
])("values are hidden in a state that marks %s sensitive", (_, marks, expected) => {
  const declared = { podSubnet: "10.0.0.0/16", ingress: "a", provider: "vsphere" };
  expect(hidden(declared, marks, "podSubnet", "ingress", "provider")).toEqual(expected);
});

test("all templates are hidden if one is marked, because they are compared together", () => {
  const declared = {
    "templates.a.kubernetesVersion": "v1.28.3",
    "templates.b.kubernetesVersion": "v1.29.1",
    allowEditCsi: "true",
  };
  expect(hidden(declared, { "templates.b.kubernetesVersion": true }, "templates", "allowEditCsi")).toEqual(["templates"]);
});

test("the count of a worker group is hidden if it is marked and the group's name was a token", () => {
  const declared = { "workers[0].group": "gpu", "workers[0].count": "2", "workers.default.count": "1" };
  const fields = ["workers.gpu.count", "workers.default.count", "controlPlane.count"];
  expect(hidden(declared, { "workers[0].count": true }, ...fields)).toEqual(["workers.gpu.count"]);
});
