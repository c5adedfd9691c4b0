import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Engine } from "../src/constructs/engine";
import type { Workspace } from "../test/terraform/workspace";
import { BASE, editStack, OTHER, providerScenarios, type Scenario, scenarios } from "../test/cli/review/scenarios";
import { nullProvider } from "./null-provider.mjs";
import { terraformBinary } from "./terraform-binary.mjs";

/**
 * Writes the plans and states that the tests of `review` and `drift` read. The real Terraform makes them from real stacks, one
 * for each verdict, on `null_resource`. Plans that differ by engine are also written on `terraform_data`, in the folder of that
 * name. Plans of the package's own provider are in `provider`. Arguments name the scenarios to regenerate. `--terraform FILE
 * --folder NAME` before them selects another program: it makes the plans in `terraform-1.5` and `opentofu-1.6`, on
 * `terraform_data`, and those in `opentofu-1.12/provider`.
 *
 * Sections that no command reads and blocks without instances are dropped. Ids and times are replaced, so that every run writes
 * the same. `whole.json` is unchanged output of Terraform.
 */
const FOLDER = resolve(import.meta.dirname, "../test/cli/review/fixtures");

async function main(args: string[]): Promise<void> {
  const { values, positionals: wanted } = parseArgs({
    args,
    options: { terraform: { type: "string" }, folder: { type: "string" } },
    allowPositionals: true,
  });
  process.env.CLUSTER_PLATFORM_TEST_TERRAFORM = values.terraform ?? terraformBinary();
  const ofProgram = values.folder !== undefined;
  const isMade = (folder: string, name: string) =>
    wanted.length > 0 ? wanted.includes(name) : !ofProgram || existsSync(join(folder, `${name}.json`));
  const ofProvider = join(FOLDER, values.folder ?? "provider");
  if (basename(ofProvider) === "provider") {
    for (const [name, scenario] of Object.entries(await providerScenarios())) {
      if (isMade(ofProvider, name)) await make(ofProvider, name, scenario);
    }
    if (ofProgram) return;
  }
  const plugin = await nullProvider();
  if (plugin.cliConfig === undefined) throw new Error(plugin.what);
  process.env.TF_CLI_CONFIG_FILE = plugin.cliConfig;
  for (const engine of ofProgram ? [OTHER] : [BASE, OTHER]) {
    const folder = join(FOLDER, values.folder ?? (engine === BASE ? "" : engine));
    for (const [name, scenario] of Object.entries(await scenarios(engine as Engine))) {
      if (isMade(folder, name) && (ofProgram || engine === BASE || scenario.everyEngine)) await make(folder, name, scenario);
    }
  }
}

async function make(folder: string, name: string, scenario: Scenario): Promise<void> {
  const { startSimulator } = await import("../src/simulator");
  const { Workspace } = await import("../test/terraform/workspace");
  const { secrets } = await import("../test/support/capvs");
  const service = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, acceptUnknownFields: true });
  const workspace = new Workspace({ CLUSTER_PLATFORM_URL: service.url, CLUSTER_PLATFORM_TOKEN: service.token, ...secrets });
  mkdirSync(folder, { recursive: true });
  try {
    if (scenario.before) {
      workspace.synth((stack) => scenario.before!(stack, service));
      const { status, output } = await workspace.apply();
      if (status !== 0) throw new Error(output);
    }
    await scenario.meanwhile?.(workspace, service);
    for (const command of scenario.between ?? []) await workspace.run(command);
    if (scenario.keepState) write(join(folder, `${name}.state.json`), await shown(workspace));
    workspace.synth((stack) => scenario.after(stack, service));
    if (scenario.edit) editStack(workspace, scenario.edit);
    const plan = join(workspace.folder, "plan");
    const { status, output } = await workspace.run(["plan", "-input=false", `-out=${plan}`, ...(scenario.args ?? [])], {
      env: scenario.env?.(service),
    });
    if ((status !== 0) !== (scenario.fails ?? false)) throw new Error(output);
    write(join(folder, `${name}.json`), await shown(workspace, plan), name === "whole");
    if (scenario.keepStack) {
      const stack = join(folder, `${name}.stack`);
      rmSync(stack, { recursive: true, force: true });
      mkdirSync(stack);
      writeFileSync(join(stack, "cdk.tf.json"), even(readFileSync(join(workspace.stackFolder, "cdk.tf.json"), "utf8")));
    }
    console.log(relative(FOLDER, join(folder, name)));
  } finally {
    workspace.remove();
    await service.close();
  }
}

async function shown(workspace: Workspace, ...plan: string[]): Promise<string> {
  const { status, output } = await workspace.run(["show", "-json", ...plan], { quiet: true });
  if (status !== 0) throw new Error(output);
  return output;
}

function write(file: string, text: string, whole = false): void {
  writeFileSync(file, whole ? text : `${even(JSON.stringify(trimmed(JSON.parse(text))))}\n`);
}

interface Document {
  planned_values?: unknown;
  relevant_attributes?: unknown;
  timestamp?: unknown;
  resource_changes?: { type: string; name: string }[];
  configuration?: { root_module: { resources?: { type: string; name: string }[] } };
}

function trimmed({ planned_values: _, relevant_attributes: __, timestamp: ___, ...document }: Document): Document {
  const used = new Set((document.resource_changes ?? []).map(({ type, name }) => `${type}.${name}`));
  const root = document.configuration?.root_module;
  const isEmpty = ({ type, name }: { type: string; name: string }) =>
    /_(providers|clusters)$/.test(name) && !used.has(`${type}.${name}`);
  if (root?.resources) root.resources = root.resources.filter((resource) => !isEmpty(resource));
  return withSortedReferences(document);
}

/** Terraform lists them in any order. */
function withSortedReferences(document: Document): Document {
  const sorted = (key: string, value: unknown) =>
    key === "references" && Array.isArray(value) ? [...(value as string[])].sort() : value;
  return JSON.parse(JSON.stringify(document, sorted)) as Document;
}

/** Every run must write the same. */
function even(text: string): string {
  const ids = new Map<string, string>();
  const numbered = (id: string) => {
    if (!ids.has(id)) ids.set(id, String(ids.size + 1).padStart(12, "0"));
    return ids.get(id)!;
  };
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => `00000000-0000-4000-8000-${numbered(id)}`)
    .replace(/("deposed(?:_key)?":)"[0-9a-f]{8}"/g, '$1"00000001"')
    .replace(/(127\.0\.0\.1|localhost):\d{4,5}/g, "$1:7070")
    .replace(/"(?:\d{17,20}|[0-9a-f]{64})"/g, (id) => `"${numbered(id)}"`)
    .replace(/"[^"]*\/terraform\.tfstate"/g, '"terraform.tfstate"')
    .replace(/assets\/[\w-]+\/[0-9A-F]{32}\//g, "assets/hook/")
    .replace(/"H4sI[\w+/=]+"/g, '"…"');
}

if (!existsSync(resolve(import.meta.dirname, "../dist/hooks/main.js")))
  throw new Error("dist/ is missing: run `npm run build` first");
void main(process.argv.slice(2));
