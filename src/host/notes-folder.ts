import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { NotesFolder } from "../lifecycle/machine";

/** Name of the folder of the notes, in the folder that Terraform runs in. */
export const NOTES_FOLDER = ".cluster-platform";

/** Why notes cannot be written below a path that may not exist yet. It writes nothing. */
export function unwritable(path: string): string | undefined {
  if (!existsSync(path)) return unwritable(dirname(path));
  if (!statSync(path).isDirectory()) return `${path} is not a folder`;
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch {
    return `${path} is not writable`;
  }
  return undefined;
}

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
