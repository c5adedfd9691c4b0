import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Engine } from "../../src/constructs/engine";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator";
import { secrets } from "../support/capvs";
import { PAUSES_SKIPPED } from "../support/pauses";
import { accessTo, happenedOn, writesTo } from "../support/service";
import { allBackends, type Backend, newTerraformBackends } from "../support/tools";
import { failed, inOneLine, succeeded } from "../terraform/stack-fixture";
import { backendsFor, inRest } from "../terraform/test-on-backends";
import { execute, TerraformFolder, type Outcome, type PlannedChange, type RunOptions } from "../terraform/workspace";
import { thisSystem } from "../../src/contract/plugin-package";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const MIRROR = `terraform.d/plugins/cluster-platform.invalid/cdktf/clusterplatform/${version}/${thisSystem()}`;

const REQUIRED = `
terraform {
  required_providers {
    clusterplatform = { source = "cluster-platform.invalid/cdktf/clusterplatform", version = "${version}" }
  }
}`;

/** All versions of Terraform and OpenTofu on this machine. */
const programs = [...allBackends, ...newTerraformBackends].filter(({ engine }) => engine === Engine.TERRAFORM_DATA);

/** The absolute path of a program, for runs without a PATH. */
export const located = (binary: string) => execFileSync("/bin/sh", ["-c", `command -v ${binary}`], { encoding: "utf8" }).trim();

interface PluginFixtureOptions extends SimulatorOptions {
  /** Whether the provider really waits between polls. */
  readonly pausesAreReal?: boolean;
}

/** A service, and a folder with a handwritten configuration and the built provider. */
export class PluginFixture extends TerraformFolder {
  static async open(binary: string, { pausesAreReal = false, ...options }: PluginFixtureOptions = {}): Promise<PluginFixture> {
    const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, ...options });
    return new PluginFixture(simulator, binary, pausesAreReal ? {} : PAUSES_SKIPPED);
  }

  env: NodeJS.ProcessEnv;
  private readonly command: string;
  private isInitialized = false;

  private constructor(
    readonly simulator: Simulator,
    readonly binary: string,
    pauses: NodeJS.ProcessEnv,
  ) {
    super();
    this.command = located(binary);
    this.env = { ...accessTo(simulator), ...secrets, ...pauses, TF_CLI_CONFIG_FILE: join(this.folder, "cli.tfrc") };
    cpSync(resolve("dist/plugin"), join(this.folder, MIRROR), { recursive: true });
    writeFileSync(join(this.folder, "cli.tfrc"), "");
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    await this.simulator.close();
  }

  write(blocks: readonly string[], settings = ""): this {
    const head = `${REQUIRED}
provider "clusterplatform" {
  workspace    = terraform.workspace
  declared     = ${JSON.stringify(blocks.flatMap(idsIn))}
  poll_seconds = 0.2
  timeouts     = { create_seconds = 60, ready_seconds = 60, delete_seconds = 60 }
  ${settings}
}
`;
    writeFileSync(join(this.folder, "main.tf"), head + blocks.join("\n"));
    return this;
  }

  /** As a stack whose Platform has left the code: Terraform configures an empty provider. */
  writeNothing(): void {
    writeFileSync(join(this.folder, "main.tf"), REQUIRED);
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const env = { ...this.env, ...options.env };
    if (!this.isInitialized) {
      const initialized = await execute(this.command, ["init", "-input=false"], this.folder, env, {});
      if (initialized.status !== 0) return initialized;
      this.isInitialized = true;
    }
    return execute(this.command, args, this.folder, env, options);
  }

  /** One line of output. */
  async applied(options?: RunOptions): Promise<string> {
    return succeeded(await this.apply(options));
  }

  /** One line of output. */
  async failed(options?: RunOptions): Promise<string> {
    return failed(await this.apply(options));
  }

  /** One line of output. */
  async refused(...args: string[]): Promise<string> {
    return failed(await this.run(["plan", "-input=false", ...args]));
  }

  /** The output is one line. */
  async plan(options?: RunOptions): Promise<{ changes: PlannedChange[]; output: string }> {
    const { changes, output } = await this.planned(options);
    return { changes, output: inOneLine(output) };
  }

  /** Such as `update clusterplatform_ready.ready`. */
  async changes(options?: RunOptions): Promise<string[]> {
    return (await this.plan(options)).changes.map(({ address, actions }) => `${actions.join("-")} ${address}`);
  }

  configuration(): string {
    return readFileSync(join(this.folder, "main.tf"), "utf8");
  }

  attributes(address: string): Record<string, unknown> {
    return this.instances(address)[0]?.attributes ?? {};
  }

  instances(address: string): StateFile["resources"][number]["instances"] {
    const { resources } = JSON.parse(this.state()) as StateFile;
    return resources.find(({ type, name }) => `${type}.${name}` === address)?.instances ?? [];
  }

  happened(): string[] {
    return happenedOn(this.simulator);
  }

  writes(): string[] {
    return writesTo(this.simulator);
  }

  async deleteByHand(path: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.simulator.token}` };
    const { status } = await fetch(this.simulator.url + path, { method: "DELETE", headers });
    expect(status).toBeLessThan(300);
  }
}

/** Ids of the objects that a block declares. */
function idsIn(block: string): string[] {
  const resources = [...block.matchAll(/^resource "clusterplatform_(\w+)_(provider|cluster)" .*\n\s+name = "(.+)"/gm)];
  return resources.map(([, type, kind, name]) => `${type}/${kind}s/${name}`);
}

interface StateFile {
  readonly resources: readonly {
    readonly type: string;
    readonly name: string;
    readonly instances: readonly { readonly attributes: Record<string, unknown> }[];
  }[];
}

/** A test on one program that depends on the title, or on all programs. The tests of a file run concurrently. */
export function testOnPrograms(
  title: string,
  act: (fixture: PluginFixture) => Promise<void>,
  { some = programs, ...options }: PluginFixtureOptions & { readonly some?: readonly Backend[] } = {},
): void {
  for (const { binary, title: engine } of backendsFor(title, some)) {
    test.concurrent(`${title}, by ${engine.replace(/^terraform_data( by )?/, "") || "Terraform"}`, async () => {
      const fixture = await PluginFixture.open(binary, options);
      try {
        await act(fixture);
      } finally {
        await fixture.close();
      }
    });
  }
}

/** A test on programs that `npm test` leaves out, because another test or the simulated world proves the same there. */
export const testOnProgramsInRest: typeof testOnPrograms = (title, act, { some = programs, ...options } = {}) =>
  testOnPrograms(title, act, { ...options, some: inRest(some) });

export { inOneLine, programs };

type Arguments = Readonly<Record<string, string>>;

const written = (all: Arguments) =>
  Object.entries(all)
    .map(([name, value]) => `  ${name} = ${value}\n`)
    .join("");

/** A valid provider block. Values are in Terraform's language. */
export function provider(name = "vsphere", more: Arguments = {}, block = name): string {
  const all: Arguments = {
    name: `"${name}"`,
    server: '"vcenter.example.com:443"',
    username: '{ env = "VSPHERE_USERNAME" }',
    password: '{ env = "VSPHERE_PASSWORD" }',
    datacenter: '"/eu"',
    datastore: '"ssd-01"',
    folder: '"/eu/vm/clusters"',
    network: '"/eu/network/clusters"',
    resource_pool: '"/eu/host/pool/Resources"',
    templates: '{ "ubuntu-k8s-1.28.3" = "v1.28.3" }',
    template_network_interface: '"ens192"',
    ...more,
  };
  return `resource "clusterplatform_capvs_provider" "${block}" {\n${written(all)}}\n`;
}

const SIZE = "cpus = 4, memory_mib = 8192, disk_gib = 60";

/** A valid cluster block. Values are in Terraform's language. */
export function cluster(name: string, more: Arguments = {}, block = name): string {
  const all: Arguments = {
    name: `"${name}"`,
    provider_name: "clusterplatform_capvs_provider.vsphere.name",
    api_endpoint: '"192.168.0.1"',
    pod_subnet: '"10.244.0.0/16"',
    service_subnet: '"10.96.0.0/12"',
    product_version: '"2.5.0"',
    control_plane: controlPlane(3),
    workers: `{ default = { count = 2, ${SIZE} } }`,
    ...more,
  };
  return `resource "clusterplatform_capvs_cluster" "${block}" {\n${written(all)}}\n`;
}

export function controlPlane(count: number | string): string {
  return `{ count = ${count}, ${SIZE} }`;
}

/** The block that waits for clusters, by default for all of them. */
export function ready(names: readonly string[], waitFor: readonly string[] = names, id = "ready"): string {
  const objects = names.map((name) => `    "capvs/clusters/${name}" = clusterplatform_capvs_cluster.${name}.uid\n`).join("");
  const ids = waitFor.map((name) => `"capvs/clusters/${name}"`).join(", ");
  return `resource "clusterplatform_ready" "${id}" {\n  objects = {\n${objects}  }\n  wait_for = [${ids}]\n}\n`;
}
