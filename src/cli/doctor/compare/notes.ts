import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where hooks note that they are creating an object, below the folder that Terraform runs in. */
const NOTES = ".cluster-platform/intents";

/** Objects, as `type/kind/name`, that an interrupted apply may have created on the service, by the notes on this machine. */
export function notedCreations(folder: string, url: string): ReadonlySet<string> {
  const notes = filesIn(join(folder, NOTES)).map(read);
  return new Set(notes.filter((note) => note.url === url && typeof note.id === "string").map(({ id }) => id as string));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // No create was interrupted here.
    return [];
  }
}

function read(file: string): { readonly id?: unknown; readonly url?: unknown } {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) ?? {}) as object;
  } catch {
    // Cut off when its writer was killed, before it sent anything.
    return {};
  }
}
