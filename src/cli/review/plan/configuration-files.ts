import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { STACK_FILE } from "../../../synthesized/folder";
import { type ConfigurationFiles, recognize } from "../../../recognition/recognize";
import { invalidDocument, readBytes } from "../../report/document";
import type { PlannedStack } from "./plan";
import { parseStack, readStack, SynthesizedStack } from "./synthesized-stack";

/**
 * What the configuration of a plan says. It comes from the saved plan if that is given, because Terraform applies that one.
 * @throws INVALID_DOCUMENT
 */
export function configurationOf({
  folder,
  planFile,
  stack,
  applied,
}: Pick<ConfigurationFiles, "folder" | "stack" | "applied"> & { readonly planFile?: string }): Pick<
  PlannedStack,
  "synthesized" | "foreign" | "recognized"
> {
  const files = planFile === undefined ? filesInFolder(folder!) : filesInPlan(planFile, folder);
  const parsed = planFile === undefined ? (stack ?? readStack(folder!)) : stackIn(files, planFile);
  const recognized = recognize({ ...files, stack: parsed, applied });
  return { synthesized: new SynthesizedStack(parsed), foreign: recognized.foreign, recognized };
}

function stackIn({ files }: ConfigurationFiles, planFile: string): ReturnType<typeof parseStack> {
  const file = files.get(STACK_FILE);
  if (!file) throw invalidDocument(planFile, SAVED_PLAN, `got one without ${STACK_FILE}, so not of a synthesized stack`);
  return parseStack(file, planFile);
}

/** The files that Terraform and OpenTofu load from a folder. */
export function filesInFolder(folder: string): ConfigurationFiles {
  const names = readdirSync(folder).filter(isConfiguration);
  return { folder, files: new Map(names.map((name) => [name, readFileSync(join(folder, name))])) };
}

/** Both ignore hidden files and the backups of editors. */
function isConfiguration(name: string): boolean {
  return /\.(?:tf|tofu)(?:\.json)?$/.test(name) && !/^\.|^#.*#$/.test(name);
}

const SAVED_PLAN = "a plan file, as 'terraform plan -out FILE' writes it";
/** Where a saved plan has the files of the root module. */
const ROOT = "tfconfig/m-/";

/**
 * The files that Terraform has loaded for a plan.
 * @param folder of the stack, which has the hook program
 * @throws INVALID_DOCUMENT
 */
export function filesInPlan(file: string, folder?: string): ConfigurationFiles {
  const names: string[] = [];
  const content = unzipped(file, names);
  if (new Set(names).size < names.length) throw invalidDocument(file, SAVED_PLAN, "got one that has a file twice");
  if (names.length === 0) throw invalidDocument(file, SAVED_PLAN, "got one without a configuration");
  const files = new Map(names.map((name) => [name.slice(ROOT.length), Buffer.from(content[name]!)]));
  return { files, folder };
}

function unzipped(file: string, names: string[]): Record<string, Uint8Array> {
  const filter = ({ name }: { readonly name: string }) => name.startsWith(ROOT) && names.push(name) > 0;
  const bytes = readBytes(file);
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw invalidDocument(file, SAVED_PLAN, `got something else (${(error as Error).message})`);
  }
}
