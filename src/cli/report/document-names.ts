import { basename, dirname } from "node:path";
import { ConfigurationError } from "../../model/errors";
import { nameOf, realPathOf } from "./document";
import { stackFolderOf } from "./synthesized-folder";

/**
 * The names of the stacks of documents: the folder of the stack if the document lies in one, else the file. A file with a generic
 * name has the name of its folder. Documents with equal names have their whole paths.
 * @param generic the file name that says nothing about the stack: `plan` or `state`
 * @throws INVALID_SETTING if a document is named twice, because its objects would count twice
 */
export function documentNames(files: readonly string[], generic: string): string[] {
  refuseRepeated(files, generic);
  const short = files.map((file) => {
    const folder = stackFolderOf(file);
    return folder === undefined ? shortName(file, generic) : basename(folder);
  });
  return short.map((name, index) => (short.indexOf(name) === short.lastIndexOf(name) ? name : nameOf(files[index]!)));
}

function refuseRepeated(files: readonly string[], what: string): void {
  const paths = files.map((file) => (file === "-" ? file : realPathOf(file)));
  const again = paths.findIndex((path, index) => paths.indexOf(path) !== index);
  if (again === -1) return;
  const [first, second] = [files[paths.indexOf(paths[again]!)]!, files[again]!].map(nameOf);
  const got = first === second ? `${first} twice` : `${first} and ${second}, which are the same file`;
  throw new ConfigurationError("INVALID_SETTING", `command line: each ${what} must be given once, got ${got}`);
}

function shortName(file: string, generic: string): string {
  if (file === "-") return nameOf(file);
  const name = basename(file)
    .replace(/\.json$/, "")
    .replace(new RegExp(`[._-](tf)?${generic}$`), "");
  if (name !== "" && !new RegExp(`^(tf)?${generic}$`).test(name)) return name;
  const folder = basename(dirname(file));
  return /^\.*$/.test(folder) ? generic : folder;
}
