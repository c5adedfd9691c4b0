import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "./clock";
import type { Fingerprint } from "./fingerprint";
import { LifecycleError } from "./lifecycle-error";
import { idOf, type ObjectRef } from "../model/object-ref";

/** A note about one object. */
export interface Note {
  readonly id: string;
  readonly url: string;
  readonly workspace: string;
  /** When it was written, ISO 8601. */
  readonly at: string;
  /** Of a create: what was declared then. */
  readonly declared?: Fingerprint;
}

/** What is noted: creates under way, and registrations that the service has but said not to be ready. */
const FOLDERS = { creation: "intents", registration: "registrations" };
type Subject = keyof typeof FOLDERS;

/** Where notes are kept, and of which service and workspace this journal is. */
export interface JournalPlace {
  /** Holds the folders of all notes; made when it is needed. */
  readonly folder: string;
  /** URL of the service. */
  readonly url: string;
  /**
   * Workspaces have states of their own in one folder: what one was creating is foreign to the others. Empty where the
   * caller does not know it.
   */
  readonly workspace: string;
}

/**
 * Remembers on this machine what was sent and has no answer on record. A note that an object is being created is written
 * after the name was found free and before the request, and removed after a definite answer. If the program is killed in
 * between, the next apply knows by the note that the object it finds is this stack's own.
 */
export class Journal {
  constructor(
    private readonly place: JournalPlace,
    private readonly clock: Clock,
  ) {}

  /** The note of this workspace. */
  read(subject: Subject, object: ObjectRef): Note | undefined {
    const { url, workspace } = this.place;
    const note = read(this.file(subject, object));
    return note?.id === idOf(object) && note.url === url && note.workspace === workspace ? note : undefined;
  }

  /**
   * Must succeed before anything is sent: without it a kill would leave an object that nobody knows.
   *
   * @throws INVALID_SETTING
   */
  write(subject: Subject, object: ObjectRef, declared?: Fingerprint): Note {
    const { url, workspace } = this.place;
    const note = { id: idOf(object), url, workspace, at: new Date(this.clock.now()).toISOString(), declared };
    const file = this.file(subject, object);
    const draft = `${file}.${process.pid}`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(draft, `${JSON.stringify(note)}\n`, { flush: true });
      renameSync(draft, file);
    } catch (error) {
      discard(draft);
      throw new LifecycleError({
        code: "INVALID_SETTING",
        objects: [object],
        summary: `${note.id}: cannot note in ${file} that it is being created (${(error as Error).message}); nothing was sent`,
        remedy: "Make the folder that Terraform runs in writable and apply again",
        cause: error,
      });
    }
    return note;
  }

  clear(subject: Subject, object: ObjectRef): void {
    discard(this.file(subject, object));
  }

  /** The youngest note of the object's creation, of whichever workspace: Terraform does not tell destroy hooks theirs. */
  creationAnywhere(object: ObjectRef): Note | undefined {
    return this.notes("creation", object)
      .map(({ note }) => note)
      .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
      .at(-1);
  }

  /**
   * Removes all notes of an object, of all workspaces: it was seen to be gone, so whoever has the name from now on is
   * another one. What cannot be removed fails no deletion that is done.
   */
  forget(object: ObjectRef): void {
    for (const subject of Object.keys(FOLDERS) as Subject[]) {
      for (const { file } of this.notes(subject, object)) discard(file);
    }
  }

  private notes(subject: Subject, object: ObjectRef): { file: string; note: Note }[] {
    return filesIn(join(this.place.folder, FOLDERS[subject])).flatMap((file) => {
      const note = read(file);
      return note?.id === idOf(object) && note.url === this.place.url ? [{ file, note }] : [];
    });
  }

  private file(subject: Subject, object: ObjectRef): string {
    const { folder, url, workspace } = this.place;
    const name = createHash("sha256")
      .update(`${url} ${workspace} ${idOf(object)}`)
      .digest("hex")
      .slice(0, 32);
    return join(folder, FOLDERS[subject], `${name}.json`);
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // There is no such folder, or it cannot be read, and then nothing in it could be removed.
    return [];
  }
}

/** A note that stays is compared with what is declared and what lives before anything is concluded from it. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder became read-only, or a file stands in its place.
  }
}

function read(file: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Note;
  } catch {
    // Missing, or cut off when its writer was killed before it sent anything.
    return undefined;
  }
}
