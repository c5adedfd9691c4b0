import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { nameOf } from "./document";

/**
 * The names of the stacks of documents: the stack's folder if it is known, else the file. A document from standard input has the
 * name of the working directory if that holds a synthesized stack. A file with a generic name has the name of its folder.
 * Documents with equal names have their whole paths.
 * @param generic the file name that says nothing about the stack: `plan` or `state`
 * @param folders folders of the stacks, as far as they are known
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
