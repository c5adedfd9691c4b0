import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Workspace } from "../test/terraform/workspace";
import { editStack, type Scenario, scenariosIn } from "../test/cli/review/scenarios";
import { nullProvider } from "./null-provider.mjs";
import { terraformBinary } from "./terraform-binary.mjs";

/**
 * Writes the plans and states that the tests of `review` and `drift` read. The real Terraform makes them from real stacks. They are
 * those whose form matters. All other scenarios have the plan that follows from their programs. The plans on `null_resource` are in
 * the folder itself, those on `terraform_data` in the folder of that name, and those of the package's own provider in `provider`.
 * Arguments name fixtures to write, also new ones, as in `terraform_data/change`. `--terraform FILE --folder NAME` before them
 * selects another program: it makes the plans in `terraform-1.5` and `opentofu-1.6`, on `terraform_data`, and those in
 * `opentofu-1.12/provider`.
 *
 * What no command reads is dropped. Ids and times are replaced, so that every run writes the same. `whole.json` is unchanged output
 * of Terraform.
 */
const FOLDER = resolve(import.meta.dirname, "../test/cli/review/fixtures");

async function main(args: string[]): Promise<void> {
  const { values, positionals: wanted } = parseArgs({
    args,
    options: { terraform: { type: "string" }, folder: { type: "string" } },
    allowPositionals: true,
  });
  process.env.CLUSTER_PLATFORM_TEST_TERRAFORM = values.terraform ?? terraformBinary();
  const plugin = await nullProvider();
  if (plugin.cliConfig === undefined) throw new Error(plugin.what);
  process.env.TF_CLI_CONFIG_FILE = plugin.cliConfig;
  for (const folder of values.folder === undefined ? ["", "terraform_data", "provider"] : [values.folder]) {
    for (const [name, scenario] of Object.entries(scenariosIn(folder))) {
      const file = join(folder, name);
      const isWanted = wanted.length > 0 ? wanted.includes(file) : existsSync(join(FOLDER, `${file}.json`));
      if (isWanted) await record(file, scenario);
    }
  }
}

async function record(file: string, scenario: Scenario): Promise<void> {
  const { startSimulator } = await import("../src/simulator");
  const { Workspace } = await import("../test/terraform/workspace");
  const { secrets } = await import("../test/support/capvs");
  const service = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, acceptUnknownFields: true });
  const workspace = new Workspace({ CLUSTER_PLATFORM_URL: service.url, CLUSTER_PLATFORM_TOKEN: service.token, ...secrets });
  const target = join(FOLDER, file);
  mkdirSync(dirname(target), { recursive: true });
  try {
    if (scenario.before) {
      workspace.synth((stack) => scenario.before!(stack, service));
      const { status, output } = await workspace.apply();
      if (status !== 0) throw new Error(output);
    }
    await scenario.meanwhile?.(workspace, service);
    for (const command of scenario.between ?? []) await workspace.run(command);
    if (scenario.keepState) write(`${target}.state.json`, await shown(workspace));
    workspace.synth((stack) => scenario.after(stack, service));
    if (scenario.edit) editStack(workspace, scenario.edit);
    const plan = join(workspace.folder, "plan");
    const { status, output } = await workspace.run(["plan", "-input=false", `-out=${plan}`, ...(scenario.args ?? [])], {
      env: scenario.env?.(service),
    });
    if ((status !== 0) !== (scenario.fails ?? false)) throw new Error(output);
    write(`${target}.json`, await shown(workspace, plan), file === "whole");
    console.log(file);
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

interface Block {
  readonly type: string;
  readonly name: string;
}

interface Document {
  readonly resource_changes?: readonly Block[];
}

/** No command reads these. */
const UNREAD: ReadonlySet<string> = new Set([
  ...["planned_values", "relevant_attributes", "timestamp", "replace_paths", "schema_version", "interpreter", "quiet"],
]);

/** Blocks without instances are dropped. Of the environment of a hook, the settings stay, because `review` reads them. */
function trimmed(document: Document): unknown {
  const { resource_changes: changes } = document;
  if (!changes) return document;
  const used = new Set(changes.map(({ type, name }) => `${type}.${name}`));
  const isEmpty = (block: string) => /_(providers|clusters)$/.test(block) && !used.has(block);
  const text = JSON.stringify(document, function (this: Partial<Block>, key, value: unknown) {
    if (UNREAD.has(key)) return undefined;
    if (/^(sensitive_)?values$/.test(key) && this.name?.startsWith("cluster_platform_")) return undefined;
    switch (key) {
      case "resources":
        return (value as Block[]).filter((block) => "values" in block || !isEmpty(`${block.type}.${block.name}`));
      case "depends_on":
        return (value as string[]).filter((block) => !isEmpty(block));
      case "references":
        // Terraform lists them in any order.
        return [...(value as string[])].sort();
      case "environment": {
        const { CLUSTER_PLATFORM_HOOK_SETTINGS: settings } = (value as { constant_value: Record<string, string> }).constant_value;
        return settings === undefined ? undefined : { constant_value: { CLUSTER_PLATFORM_HOOK_SETTINGS: settings } };
      }
      default:
        return value;
    }
  });
  return JSON.parse(text);
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
    .replace(/"[^"]*\/terraform\.tfstate"/g, '"terraform.tfstate"');
}

if (!existsSync(resolve(import.meta.dirname, "../dist/hooks/main.js")))
  throw new Error("dist/ is missing: run `npm run build` first");
void main(process.argv.slice(2));
