import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NotesFolder } from "../lifecycle/machine";

/** Name of the folder of the notes, in the folder that Terraform runs in. */
export const NOTES_FOLDER = ".cluster-platform";

export function notesFolder(path = NOTES_FOLDER): NotesFolder {
  return {
    path,
    read: (file) => {
      try {
        return readFileSync(join(path, file), "utf8");
      } catch {
        return undefined;
      }
    },
    write: (file, text) => {
      const target = join(path, file);
      const draft = `${target}.${process.pid}`;
      try {
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(draft, text, { flush: true });
        renameSync(draft, target);
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
    },
    remove: (file) => rmSync(join(path, file), { force: true }),
    list: (folder) => {
      try {
        return readdirSync(join(path, folder)).map((name) => join(folder, name));
      } catch {
        return [];
      }
    },
  };
}
