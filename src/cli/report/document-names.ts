import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { nameOf } from "./document";

/**
 * What the stacks of documents are called. A document from standard input is called by the folder that the command runs
 * in, where that is the folder of a synthesized stack, as it is beside `terraform show`. Any other is called by the name of the file, or of its folder where the file is called after
 * what it holds; by the whole path where that does not tell them apart.
 *
 * @param generic what a document is called that says nothing of its stack, `plan` or `state`
 * @param folders of the stacks, where they are known
 */
export function documentNames(files: readonly string[], generic: string, folders: readonly string[] = []): string[] {
  const short = files.map((file, index) => (folders[index] === undefined ? shortName(file, generic) : basename(folders[index])));
  return short.map((name, index) =>
    short.indexOf(name) === short.lastIndexOf(name) ? name : nameOf(folders[index] ?? files[index]!),
  );
}

function shortName(file: string, generic: string): string {
  if (file === "-") return existsSync("cdk.tf.json") ? basename(process.cwd()) : nameOf(file);
  const name = basename(file)
    .replace(/\.json$/, "")
    .replace(new RegExp(`[._-](tf)?${generic}$`), "");
  if (name !== "" && !new RegExp(`^(tf)?${generic}$`).test(name)) return name;
  const folder = basename(dirname(file));
  return /^\.*$/.test(folder) ? generic : folder;
}
