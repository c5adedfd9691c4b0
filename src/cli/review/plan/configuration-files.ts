import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import lt from "semver/functions/lt";
import type { JsonObject } from "../../../model/provider-type";
import { STACK_FILE } from "../../../synthesized/folder";
import { installedVersion, ownVersion } from "../../../recognition/package-version";
import type { ConfigurationFiles } from "../../../recognition/recognize";
import { invalidDocument, readBytes } from "../../report/document";
import { filesOf, parseStack, readInFolder, readStack } from "../../report/synthesized-folder";
import type { PlannedStack } from "./plan";
import { SynthesizedStack } from "./synthesized-stack";

interface ConfigurationSource {
  readonly folder: string;
  readonly planFile?: string;
  /** Of the version of this package that has synthesized the stack. @default - this version */
  readonly packageFolder?: string;
}

type Configuration = Pick<PlannedStack, "synthesized" | "foreign" | "packageVersion">;

/**
 * What the configuration of a plan says. It comes from the saved plan if there is one, because Terraform applies that one.
 * @throws INVALID_DOCUMENT
 */
export function configurationOf({ folder, planFile, packageFolder }: ConfigurationSource): Configuration {
  const by = packageFolder === undefined ? ownVersion : installedVersion(packageFolder);
  const found = planFile === undefined ? filesInFolder(folder) : filesInPlan(planFile, folder);
  const stack = planFile === undefined ? readStack(folder) : stackIn(found, planFile);
  const [own, ofStack] = [ownVersion.version, by.version];
  const packageVersion = { own, ofStack, isOlder: lt(ofStack, own) };
  return { synthesized: new SynthesizedStack(stack), foreign: by.foreignPlaces(found), packageVersion };
}

/**
 * Whether the code of the folder is not that of the plan.
 * @param timestamp of the plan, in RFC 3339, to the second
 */
export function isOutdated({ folder, planFile }: ConfigurationSource, timestamp: string | undefined): boolean {
  const file = join(folder, STACK_FILE);
  if (planFile !== undefined) return filesInPlan(planFile, folder).files.get(STACK_FILE)?.equals(readFileSync(file)) === false;
  return timestamp !== undefined && Date.parse(timestamp) + 1000 <= statSync(file).mtimeMs;
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

/**
 * The files that Terraform has loaded for a plan.
 * @param folder of the stack, which has the hook program
 * @throws INVALID_DOCUMENT
 */
export function filesInPlan(file: string, folder: string): ConfigurationFiles {
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
