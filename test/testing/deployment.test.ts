import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Backend, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { Engine, Platform, type PlatformProps } from "cdktf-cluster-platform";
import { type Simulator, startSimulator } from "cdktf-cluster-platform/simulator";
import { Deployment, terraformOnPath } from "cdktf-cluster-platform/testing";
import { cluster, provider, secrets } from "../support/capvs";
import { happenedOn } from "../support/service";
import { terraform } from "../support/tools";

let service: Simulator;
let deployment: Deployment;

beforeEach(async () => {
  service = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  deployment = new Deployment({ service, env: secrets, terraform });
});

afterEach(async () => {
  deployment.remove();
  await service.close();
});

function stackWith(props: PlatformProps, clusters: readonly string[] = ["prod"]): TerraformStack {
  const stack = new TerraformStack(Testing.app(), "stack");
  new S3Backend(stack, { bucket: "production", key: "state", region: "eu-west-1" });
  new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA, pollSeconds: 0.1, ...props });
  const vsphere = provider(stack);
  for (const name of clusters) cluster(stack, name, vsphere);
  return stack;
}

test("applies, changes and destroys with a state of its own, whatever backend the stack has", async () => {
  expect(await deployment.apply(stackWith({}))).toContain("Apply complete!");
  expect(service.clusters.map(({ name }) => name)).toEqual(["prod"]);

  await expect(deployment.destroy()).rejects.toThrow("PROTECTED");
  await deployment.apply(Testing.fullSynth(stackWith({ allowDeletion: ["prod"] }, [])));
  expect(happenedOn(service)).toEqual(["+vsphere", "+prod", "-prod"]);

  await deployment.destroy();
  expect(happenedOn(service)).toEqual(["+vsphere", "+prod", "-prod", "-vsphere"]);
});

test("a Platform with the url of another service is refused before anything runs", async () => {
  await expect(deployment.apply(stackWith({ name: "eu", url: "https://platform.example.com" }))).rejects.toThrow(
    /^the Platform 'eu' has the url https:\/\/platform\.example\.com, so this run would change the objects of that service/,
  );
  await deployment.apply(stackWith({ url: `${service.url}/`, deletionProtection: false }, []));
  await deployment.destroy();
});

test("settings of this process for another service and another workspace do not reach the runs", async () => {
  const settings = {
    CLUSTER_PLATFORM_TOKEN_FILE: "/no/such/file",
    TF_WORKSPACE: "other",
  };
  const before = { ...process.env };
  Object.assign(process.env, settings);
  const another = new Deployment({ service, env: secrets, terraform });
  process.env = before;
  const stack = stackWith({}, []);
  new TerraformOutput(stack, "workspace", { value: "${terraform.workspace}" });
  expect(await another.apply(stack)).toContain('workspace = "default"');
  expect(happenedOn(service)).toEqual(["+vsphere"]);
  another.remove();
});

test("the first program on the PATH is used, and a missing one is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-path-"));
  for (const [where, name, mode] of [
    ["one", "terraform", 0o644],
    ["two", "tofu", 0o755],
    ["three", "terraform", 0o755],
  ] as const) {
    mkdirSync(join(folder, where));
    writeFileSync(join(folder, where, name), "", { mode });
  }
  const PATH = ["one", "two", "three"].map((name) => join(folder, name)).join(":");
  expect(terraformOnPath({ PATH })).toBe(join(folder, "three/terraform"));
  expect(terraformOnPath({ PATH, TERRAFORM_BINARY_NAME: "tofu" })).toBe(join(folder, "two/tofu"));
  expect(terraformOnPath({ PATH: join(folder, "one") })).toBeUndefined();
  rmSync(folder, { recursive: true });

  const { PATH: before } = process.env;
  process.env.PATH = "/no/such/folder";
  expect(() => new Deployment({ service })).toThrow("neither terraform nor tofu is on the PATH");
  process.env.PATH = before;
});

test("a deployment without a service is refused", () => {
  expect(() => new Deployment({} as never)).toThrow("'service' must have a url and a token");
  expect(() => new Deployment({ service: { url: service.url, token: "" } })).toThrow("'service' must have a url and a token");
});
