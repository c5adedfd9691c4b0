import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import lt from "semver/functions/lt";
import { STACK_FILE } from "../../../synthesized/folder";
import { installedVersion, ownVersion } from "../../../recognition/package-version";
import type { ConfigurationFiles } from "../../../recognition/recognize";
import { invalidDocument, readBytes } from "../../report/document";
import { filesOf, parseStack, readInFolder } from "../../report/synthesized-folder";
import type { PlannedStack } from "./plan";
import { SynthesizedStack } from "./synthesized-stack";

type Configuration = Pick<PlannedStack, "synthesized" | "foreign" | "packageVersion">;

/**
 * What the configuration of a plan says.
 * @param file that the stack comes from, for errors
 * @param packageFolder of the version of this package that has synthesized the stack. @default - this version
 * @throws INVALID_DOCUMENT
 */
export function configurationIn(found: ConfigurationFiles, file: string, packageFolder?: string): Configuration {
  const stack = found.files.get(STACK_FILE);
  if (!stack) throw invalidDocument(file, SAVED_PLAN, `got one without ${STACK_FILE}, so not of a synthesized stack`);
  const by = packageFolder === undefined ? ownVersion : installedVersion(packageFolder);
  const [own, ofStack] = [ownVersion.version, by.version];
  const packageVersion = { own, ofStack, isOlder: lt(ofStack, own) };
  return { synthesized: new SynthesizedStack(parseStack(stack, file)), foreign: by.foreignPlaces(found), packageVersion };
}

/**
 * Whether the code of the folder is not that of the plan.
 * @param of the files of a saved plan, or the time of a plan as JSON, in RFC 3339, to the second
 */
export function isOutdated(folder: string, of: ConfigurationFiles | string | undefined): boolean {
  const file = join(folder, STACK_FILE);
  if (typeof of === "string") return Date.parse(of) + 1000 <= statSync(file).mtimeMs;
  return of?.files.get(STACK_FILE)?.equals(readFileSync(file)) === false;
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
