import { type Dirent, existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { STACK_FILE } from "../../../synthesized/folder";
import { invalidDocument } from "../../report/document";
import { readStack, STACKS, stacksIn } from "../../report/synthesized-folder";
import { configurationIn, filesInFolder } from "../plan/configuration-files";
import { type PlannedStack } from "../plan/plan";
import { comparedStack } from "./comparison";

const APP = "the folder of a synthesized stack, or the output folder of 'cdktf synth'";

/**
 * What an apply of the second folder would plan, if the first one is applied. Each folder is of one stack or of a whole app.
 * @param packageFolder of the version of this package that has synthesized the second one
 * @throws INVALID_DOCUMENT
 */
export function comparedFolders(base: string, head: string, packageFolder?: string): PlannedStack[] {
  return pairs(synthesizedIn(base), synthesizedIn(head)).map(({ name, before, after }) => {
    if (after === undefined) return stackThatLeft(before!, name);
    for (const folder of [before, after]) if (folder !== undefined) refuseLinks(folder);
    const one = before === undefined ? undefined : readStack(before);
    return {
      name,
      ...comparedStack(one, readStack(after), after),
      ...configurationIn(filesInFolder(after), after, packageFolder),
    };
  });
}

/**
 * A stack that is in the code no longer.
 * @param folder where it was synthesized
 * @throws INVALID_DOCUMENT
 */
export function stackThatLeft(folder: string, name = basename(resolve(folder))): PlannedStack {
  refuseLinks(folder);
  // No apply runs anything of it, so nothing in it is foreign.
  return { name, ...comparedStack(readStack(folder), undefined, folder), foreign: [] };
}

interface Synthesized {
  readonly folder: string;
  readonly isApp: boolean;
  /** Folders of stacks by name. */
  readonly stacks: ReadonlyMap<string, string>;
}

interface Pair {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function synthesizedIn(folder: string): Synthesized {
  if (!existsSync(folder)) throw invalidDocument(folder, APP, "and it does not exist");
  if (existsSync(join(folder, STACK_FILE))) {
    return { folder, isApp: false, stacks: new Map([[basename(resolve(folder)), folder]]) };
  }
  const all = join(folder, STACKS);
  if (!existsSync(all) || !lstatSync(all).isDirectory()) {
    throw invalidDocument(folder, APP, `got one with neither ${STACK_FILE} nor ${STACKS}; run 'cdktf synth' first`);
  }
  refuseLinksIn(all);
  return { folder, isApp: true, stacks: stacksIn(folder) };
}

/** Stacks of two apps belong together by name. The folder of one stack belongs to the only stack of the other side. */
function pairs(base: Synthesized, head: Synthesized): Pair[] {
  const app = [base, head].find(({ isApp }) => isApp);
  if (base.isApp && head.isApp) {
    const names = [...new Set([...base.stacks.keys(), ...head.stacks.keys()])].sort();
    if (names.length === 0) throw invalidDocument(head.folder, APP, "and neither side has a stack; run 'cdktf synth' first");
    return names.map((name) => ({ name, before: base.stacks.get(name), after: head.stacks.get(name) }));
  }
  if (app && app.stacks.size !== 1) {
    const names = [...app.stacks.keys()].sort().join(", ") || "none";
    throw invalidDocument(
      app.folder,
      "the folder of one stack, like the other side",
      `got the stacks ${names}; pass the folder of one of them, or the output folders of both programs`,
    );
  }
  const [[before], [[name, after]]] = [[...base.stacks.values()], [...head.stacks]] as [[string], [[string, string]]];
  return [{ name, before, after }];
}

/** The folder may come from a stranger, and a link may lead anywhere. */
function refuseLinks(folder: string): void {
  for (const entry of refuseLinksIn(folder)) {
    // Terraform's own folder has links to its providers, and nothing reads it.
    if (entry.isDirectory() && entry.name !== ".terraform") refuseLinks(join(folder, entry.name));
  }
}

function refuseLinksIn(folder: string): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const link = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (!link) return entries;
  const at = join(folder, link.name);
  throw invalidDocument(at, "a file or a folder", "got a link or a device, which a review does not follow; remove it");
}
