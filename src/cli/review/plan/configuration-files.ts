import { unzipSync } from "fflate";
import type { JsonObject } from "../../../model/provider-type";
import { STACK_FILE } from "../../../synthesized/folder";
import { type ConfigurationFiles, foreignPlaces } from "../../../recognition/recognize";
import { invalidDocument, nameOf, readBytes } from "../../report/document";
import { filesOf, parseStack, readInFolder, readStack } from "../../report/synthesized-folder";
import type { Plan, PlannedStack } from "./plan";
import { differenceOf, savedPlan } from "./saved-plan";
import { SynthesizedStack } from "./synthesized-stack";

/** `folder` or `planFile`, or both. */
interface ConfigurationSource extends Pick<ConfigurationFiles, "folder"> {
  readonly planFile?: string;
  readonly shown?: ShownPlan;
}

/**
 * What the configuration of a plan says. It comes from the saved plan if that is given, because Terraform applies that one.
 * @throws INVALID_DOCUMENT
 */
export function configurationOf({ folder, planFile, shown }: ConfigurationSource): Pick<PlannedStack, "synthesized" | "foreign"> {
  const inFolder = folder === undefined ? undefined : readStack(folder);
  const found = planFile === undefined ? filesInFolder(folder!) : filesInPlan(planFile, folder, shown);
  const stack = planFile === undefined ? inFolder! : stackIn(found, planFile);
  return { synthesized: new SynthesizedStack(stack), foreign: foreignPlaces(found) };
}

function stackIn({ files }: ConfigurationFiles, planFile: string): JsonObject {
  const file = files.get(STACK_FILE);
  if (!file) throw invalidDocument(planFile, SAVED_PLAN, `got one without ${STACK_FILE}, so not of a synthesized stack`);
  return parseStack(file, planFile);
}

/** The files that Terraform and OpenTofu load from the folder of a stack. */
export function filesInFolder(folder: string): ConfigurationFiles {
  const names = filesOf(folder).filter(isConfiguration);
  return { folder, files: new Map(names.map((name) => [name, readInFolder(folder, name)])) };
}

/** Both ignore hidden files and the backups of editors. */
function isConfiguration(name: string): boolean {
  return /\.(?:tf|tofu)(?:\.json)?$/.test(name) && !/^\.|^#.*#$/.test(name);
}

const SAVED_PLAN = "a plan file, as 'terraform plan -out FILE' writes it";
/** Where a saved plan has the files of the root module. */
const ROOT = "tfconfig/m-/";
/** Where it has the plan itself. */
const PLAN = "tfplan";

/** The plan that a saved plan must be. */
interface ShownPlan {
  readonly plan: Plan;
  /** Its JSON. */
  readonly file: string;
}

/**
 * The files that Terraform has loaded for a plan.
 * @param folder of the stack, which has the hook program
 * @throws INVALID_DOCUMENT
 */
export function filesInPlan(file: string, folder?: string, shown?: ShownPlan): ConfigurationFiles {
  const all: string[] = [];
  const content = unzipped(file, all);
  if (new Set(all).size < all.length) throw invalidDocument(file, SAVED_PLAN, "got one that has a file twice");
  const names = all.filter((name) => name !== PLAN);
  if (names.length === 0) throw invalidDocument(file, SAVED_PLAN, "got one without a configuration");
  if (shown) refuseAnother(file, content[PLAN], shown);
  const files = new Map(names.map((name) => [name.slice(ROOT.length), Buffer.from(content[name]!)]));
  return { files, folder };
}

/** Plans of one configuration differ in what they do. */
function refuseAnother(file: string, content: Uint8Array | undefined, shown: ShownPlan): void {
  const saved = content && savedPlan(content);
  if (!saved) throw invalidDocument(file, SAVED_PLAN, "got one whose plan cannot be read");
  const difference = differenceOf(saved, shown.plan);
  if (difference === undefined) return;
  throw invalidDocument(file, `the plan file that ${nameOf(shown.file)} shows`, `got that of another plan: ${difference}`);
}

function unzipped(file: string, names: string[]): Record<string, Uint8Array> {
  const filter = ({ name }: { readonly name: string }) => (name.startsWith(ROOT) || name === PLAN) && names.push(name) > 0;
  const bytes = readBytes(file);
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw invalidDocument(file, SAVED_PLAN, `got something else (${(error as Error).message})`);
  }
}
