import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, DataResource, TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { LOCK_FILE } from "../../src/contract/plugin-package";
import { type JsonObject, TYPE_CODES, type TypeCode } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { valueOf } from "../goldens/golden";
import { declare } from "../support/declare";
import { setAt } from "../support/paths";
import { AMPLE } from "../terraform/stack-fixture";

type Declarations = Readonly<Record<TypeCode, JsonObject>>;

interface Configuration {
  readonly platform?: PlatformProps;
  readonly clusters: Declarations;
  readonly providers: readonly Declarations[];
  /** The value of a resource, whose change replaces each cluster. */
  readonly trigger?: string;
  /** Whether each cluster's network of pods is the output of a resource. */
  readonly takesPodSubnet?: boolean;
  readonly edit?: (json: string) => string;
}

/** The variables of the goldens' secrets, with the values in the goldens' bodies. */
export const secrets = Object.fromEntries(
  [...JSON.stringify(goldens).matchAll(/"env":"(\w+)"/g)].map(([, variable]) => [variable, valueOf(variable!)]),
);

function each(declarations: Declarations, change: (declaration: JsonObject, code: TypeCode) => JsonObject): Declarations {
  return Object.fromEntries(TYPE_CODES.map((code) => [code, change(declarations[code], code)])) as unknown as Declarations;
}

const set = (declarations: Declarations, path: string, value: unknown) =>
  each(declarations, (declaration) => setAt(declaration, path, value) as JsonObject);

const examples = (kind: "provider" | "cluster", example: "minimal" | "maximal") =>
  each({} as Declarations, (_, code) => goldens[code][kind][example].declaration);

/** A folder per configuration, which holds the synthesized stack. Each configuration of a series adds one change. */
export function writeConfigurations(folder: string): void {
  const write = (name: string, configuration: Configuration) => synthesize(join(folder, name), configuration);

  const used = examples("provider", "minimal");
  const unused = examples("provider", "maximal");
  const first = { clusters: examples("cluster", "minimal"), providers: [used, unused], trigger: "first" };
  write("first", first);
  write("adopting", { ...first, clusters: set(first.clusters, "adopt", true), providers: [set(used, "adopt", true), unused] });
  write("protected", { ...first, platform: { deletionProtection: true } });
  const scaled = { ...first, clusters: set(first.clusters, "controlPlane.count", 5) };
  write("scaled", scaled);
  write("protected-scaled", { ...scaled, platform: { deletionProtection: true } });
  // An override may change a field that the lists show, as capov's does with `secure`.
  const plain = each(examples("cluster", "maximal"), ({ bodyOverrides: _, ...cluster }) => cluster);
  write("maximal", { clusters: plain, providers: [unused] });

  const otherFields = each(unused, ({ name, bodyOverrides }, code) => ({ ...used[code], name, bodyOverrides }));
  const fields = { ...scaled, providers: [used, otherFields] };
  write("fields", fields);
  const clusters = set(fields.clusters, "bodyOverrides.acceptance", "yes");
  const overrides = { ...fields, clusters, providers: [used, set(otherFields, "bodyOverrides.acceptance", "yes")] };
  write("overrides", overrides);
  const credentials = { ...overrides, providers: [used, set(overrides.providers[1]!, "credentialsVersion", "new")] };
  write("credentials", credentials);
  const triggered = { ...credentials, trigger: "second" };
  write("triggered", triggered);
  const unknown = { ...triggered, takesPodSubnet: true };
  write("unknown", unknown);
  const inUse = { ...unknown, providers: [set(used, "bodyOverrides.acceptance", "yes"), unknown.providers[1]!] };
  write("in-use", inUse);
  const both = { ...inUse, clusters: set(clusters, "controlPlane.count", 1) };
  write("both", both);
  const moved = each(both.clusters, (cluster, code) => ({ ...cluster, provider: unused[code].name }));
  const elsewhere = { ...both, clusters: moved };
  write("other-provider", elsewhere);
  const named = each(moved, ({ name, ...cluster }) => ({ ...cluster, name: `${String(name)}-new` }));
  write("renamed", { ...elsewhere, clusters: named });
  // The constructs derive the address from the name. By hand, another name can have the same address.
  const edit = (json: string) => json.replace(/-prod(?=": \{\n|\.uid\b)/g, "-prod-new");
  write("name", { ...elsewhere, edit });
}

function synthesize(folder: string, configuration: Configuration): void {
  const { platform, clusters, providers, trigger, takesPodSubnet, edit = (json) => json } = configuration;
  const app = new App({ outdir: `${folder}.out` });
  const stack = new TerraformStack(app, "stack");
  const engine = Engine.PROVIDER;
  new Platform(stack, "platform", { engine, pollSeconds: 0.2, timeouts: AMPLE, deletionProtection: false, ...platform });
  if (trigger !== undefined) new DataResource(stack, "trigger", { input: { trigger } });
  const subnet = takesPodSubnet ? new DataResource(stack, "subnet", { input: { pods: "10.200.0.0/16" } }) : undefined;
  for (const code of TYPE_CODES) {
    for (const each of providers) declare(stack, code, "provider", each[code]);
    const podSubnet = subnet && { podSubnet: subnet.interpolationForAttribute("output.pods") };
    const cluster = declare(stack, code, "cluster", { ...clusters[code], ...podSubnet });
    if (trigger !== undefined) cluster.addOverride("lifecycle.replace_triggered_by", ["terraform_data.trigger"]);
  }
  app.synth();
  renameSync(join(`${folder}.out`, "stacks/stack"), folder);
  const file = join(folder, "cdk.tf.json");
  const { terraform, ...blocks } = JSON.parse(readFileSync(file, "utf8")) as { terraform: JsonObject };
  // With a backend, Terraform refuses the commands that the framework runs before `init`.
  const { backend: _, ...rest } = terraform;
  writeFileSync(file, edit(JSON.stringify({ ...blocks, terraform: rest }, undefined, 2)));
  // The framework runs `state rm` before `init`, too, and Terraform then misses the provider of the lock file.
  rmSync(join(folder, LOCK_FILE));
  // The framework looks for a block of a provider in the text of all files, and does not know JSON. It then runs `init`.
  writeFileSync(join(folder, "block"), 'provider "clusterplatform" {}\n');
}
