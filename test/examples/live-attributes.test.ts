import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../src/simulator";
import { Project } from "../cdktf-cli/project";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";

/** examples/live-attributes by the real cdktf command line: attributes and data in resources, outputs and another stack. */

let simulator: Simulator;
let project: Project;

beforeAll(async () => {
  simulator = await startSimulator({ provisionSeconds: 1, deleteSeconds: 0.1 });
  const folder = mkdtempSync(join(tmpdir(), "live-attributes-"));
  // One that names no mirror, as on a machine without a configuration.
  const configuration = join(folder, "cli.tfrc");
  project = Project.ofThisRepository({ ...accessTo(simulator), ...secrets, TF_CLI_CONFIG_FILE: configuration }, folder);
  writeFileSync(configuration, "");
  cpSync("examples/live-attributes", join(project.folder, "live-attributes"), { recursive: true });
});

afterAll(async () => {
  project.remove();
  await simulator.close();
});

const succeeds = async (command: "deploy" | "destroy", env: NodeJS.ProcessEnv = {}) => {
  const app = ["--app", "npx tsx live-attributes/main.ts"];
  const { status, output } = await project.cdktf([command, "*", "--auto-approve", ...app], { env });
  expect({ status, output }).toEqual({ status: 0, output });
  return output;
};
const edit = (from: string, to: string) => {
  const text = project.read("live-attributes/main.ts");
  expect(text).toContain(from);
  writeFileSync(join(project.folder, "live-attributes/main.ts"), text.replace(from, to));
};
/** By id: an attribute of the stack's resources of terraform_data. */
const attributes = (name: string) => {
  const state = JSON.parse(readFileSync(join(project.folder, "terraform.clusters.tfstate"), "utf8")) as {
    resources: { type: string; name: string; instances: { attributes: Record<string, unknown> }[] }[];
  };
  return state.resources.find((resource) => resource.type === "terraform_data" && resource.name === name)!.instances[0]!
    .attributes;
};

test("attributes reach a record, an output and another stack, and data show what the service has", async () => {
  const output = await succeeds("deploy");
  expect(attributes("dns-record").input).toMatchObject({ value: { address: "10.20.0.10:6443" } });
  for (const line of [
    /endpoint-of-the-stack = "?10\.20\.0\.10:6443/,
    /endpoint-of-the-service = "?10\.20\.0\.10:6443/,
    /names = /,
  ]) {
    expect(output).toMatch(line);
  }
  expect(happenedOn(simulator)).toEqual(["+vsphere-eu", "+prod"]);
});

test("a replaced cluster takes its add-ons along, after it is ready, and its record changes with its address", async () => {
  const before = attributes("add-ons").id;
  const record = attributes("dns-record").id;
  edit('apiEndpoint: "10.20.0.10"', 'apiEndpoint: "10.20.0.99"');
  const allowed = { ALLOW_DELETION: "prod" };
  const output = await succeeds("deploy", allowed);
  expect(happenedOn(simulator).slice(2)).toEqual(["-prod", "+prod"]);
  expect(attributes("add-ons").id).not.toBe(before);
  expect(attributes("dns-record")).toMatchObject({ id: record, input: { value: { address: "10.20.0.99:6443" } } });
  expect(output.indexOf("terraform_data.add-ons: Creating")).toBeGreaterThan(
    output.indexOf("clusterplatform_ready.capvs_cluster_ready_prod: Modifications complete"),
  );
  expect(output).toMatch(/endpoint-of-the-service = "?10\.20\.0\.99:6443/);

  await succeeds("destroy", allowed);
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});
