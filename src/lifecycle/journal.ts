import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "./clock";
import type { Declared } from "../declarations/declaration";
import { changedFields, fingerprint, type Fingerprint } from "./fingerprint";
import { LifecycleError } from "./lifecycle-error";
import { idOf, parseObjectId, type ObjectRef } from "../model/object-ref";

/** A note about one object. */
export interface Note {
  readonly id: string;
  readonly url: string;
  readonly workspace: string;
  /** When it was first written, ISO 8601. */
  readonly at: string;
  /** Of a create: when its last request was about to be sent, ISO 8601. */
  readonly sentAt?: string;
  /** Of a create: what was declared for each request whose outcome is not known, where that differs. */
  readonly declared?: readonly Fingerprint[];
  /** Of a deletion: the run that sent it. */
  readonly run?: string;
}

/** Where hooks keep their notes: in the folder that Terraform runs in, beside its own `.terraform`. */
export const NOTES_FOLDER = ".cluster-platform";

/**
 * What is noted: creates under way, registrations that the service has but said not to be ready, deletions that were
 * sent, and creates that sent nothing because somebody else has the name.
 */
const FOLDERS = { creation: "intents", registration: "registrations", deletion: "deletions", refusal: "refusals" };
/** Notes of one workspace. */
type Subject = "creation" | "registration";
/** Notes for all workspaces, since destroy hooks do not know theirs. */
type SharedSubject = "deletion" | "refusal";

/** What a deletion guard has seen of a service. */
export interface GuardReceipt {
  /** Whether the service has something of what the state has. */
  readonly serviceSeen: boolean;
}
const RECEIPTS = "guards";
/** No Terraform runs for so long, in milliseconds. */
const RECEIPTS_KEPT_MS = 7 * 24 * 3_600_000;

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
  /** Tells the run of Terraform that this is for from all others on this machine. */
  readonly run: string;
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
    const note = read<Note>(this.file(subject, object));
    return note?.id === idOf(object) && note.url === url && note.workspace === workspace ? note : undefined;
  }

  /**
   * Notes that a request is about to be sent. Must succeed before it is: without it a kill would leave an object that
   * nobody knows.
   *
   * @param earlier the note of requests before, which may yet be carried out, too
   * @throws INVALID_SETTING
   */
  writeCreation(object: ObjectRef, declared: Declared, earlier?: Note): Note {
    const { at, ...rest } = this.note(object);
    const before = earlier?.declared ?? [];
    const isKnown = before.some((noted) => changedFields(noted, declared).length === 0);
    const sent = isKnown ? before : [...before, fingerprint(declared)];
    const note = { ...rest, at: earlier?.at ?? at, sentAt: at, declared: sent };
    const file = this.file("creation", object);
    try {
      save(file, note);
    } catch (error) {
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

  /** The last request was refused: what is noted is what was before, if anything. */
  takeBackCreation(object: ObjectRef, earlier: Note | undefined): void {
    const file = this.file("creation", object);
    if (earlier) attempt(() => save(file, earlier));
    else discard(file);
  }

  /** Objects that a run of this workspace was creating when it ended, as far as is known. */
  creations(): ObjectRef[] {
    const { folder, url, workspace } = this.place;
    return filesIn(join(folder, FOLDERS.creation)).flatMap((file) => {
      const note = read<Note>(file);
      return note?.url === url && note.workspace === workspace ? (parseObjectId(note.id) ?? []) : [];
    });
  }

  /** Notes that a provider is registered and may not be ready. Where that fails, a cluster that is refused for it says so at once. */
  writeRegistration(object: ObjectRef): void {
    attempt(() => save(this.file("registration", object), this.note(object)));
  }

  /** The youngest note of the object's creation, of whichever workspace: Terraform does not tell destroy hooks theirs. */
  creationAnywhere(object: ObjectRef): Note | undefined {
    return this.notes("creation", object)
      .map(({ note }) => note)
      .sort((one, other) => Date.parse(one.sentAt ?? one.at) - Date.parse(other.sentAt ?? other.at))
      .at(-1);
  }

  /**
   * Notes that a DELETE is about to be sent, which is only done to what was seen to live as the state has it. Where that
   * cannot be noted, an absence that a later hook finds needs another proof.
   */
  writeDeletion(object: ObjectRef): void {
    attempt(() => save(this.sharedFile("deletion", object), { ...this.note(object), run: this.place.run }));
  }

  /** Whether a DELETE of the object was sent, of this run or an earlier one. */
  wasDeletionSent(object: ObjectRef): boolean {
    return this.isAbout(object, read(this.sharedFile("deletion", object)));
  }

  /** Notes that nothing was sent to create the object, because something lives under its name already. */
  writeRefusal(object: ObjectRef): void {
    attempt(() => save(this.sharedFile("refusal", object), this.note(object)));
  }

  /**
   * Whether what lives under the name is probably somebody else's: the last create sent nothing, and none has an unknown
   * outcome. It is this stack's after all where its instance was tainted by hand.
   */
  wasRefused(object: ObjectRef): boolean {
    return this.isAbout(object, read(this.sharedFile("refusal", object))) && this.creationAnywhere(object) === undefined;
  }

  /** Whether this run has sent any DELETE to this service: then it is the one that the state is about. */
  hasDeleted(): boolean {
    const { url, run } = this.place;
    return filesIn(join(this.place.folder, FOLDERS.deletion)).some((file) => {
      const note = read(file);
      return note?.url === url && note.run === run;
    });
  }

  /** Notes that the deletion guard of a Platform has let this run pass. Where that fails, the hooks check by themselves. */
  writeReceipt(platform: string, receipt: GuardReceipt): void {
    attempt(() => {
      const old = this.clock.now() - RECEIPTS_KEPT_MS;
      for (const file of filesIn(join(this.place.folder, RECEIPTS))) if (statSync(file).mtimeMs < old) discard(file);
      save(this.receiptFile(platform), receipt);
    });
  }

  /** What the deletion guard of a Platform has seen in this run; undefined where none ran. */
  receipt(platform: string): GuardReceipt | undefined {
    return read(this.receiptFile(platform));
  }

  /** The object is the stack's, so what was noted about one that had the name before is over. */
  settle(object: ObjectRef): void {
    discard(this.file("creation", object));
    this.discardShared(object);
  }

  /**
   * Removes the notes about creations of an object, of all workspaces: it was seen to be gone, so whoever has the name
   * from now on is another one. What cannot be removed fails no deletion that is done.
   */
  forgetCreation(object: ObjectRef): void {
    for (const subject of ["creation", "registration"] as const) {
      for (const { file } of this.notes(subject, object)) discard(file);
    }
  }

  /** Removes all notes about objects. */
  forget(objects: readonly ObjectRef[]): void {
    for (const object of objects) {
      this.forgetCreation(object);
      this.discardShared(object);
    }
  }

  private discardShared(object: ObjectRef): void {
    for (const subject of ["deletion", "refusal"] as const) discard(this.sharedFile(subject, object));
  }

  private note(object: ObjectRef): Note {
    const { url, workspace } = this.place;
    return { id: idOf(object), url, workspace, at: new Date(this.clock.now()).toISOString() };
  }

  private notes(subject: Subject, object: ObjectRef): { file: string; note: Note }[] {
    return filesIn(join(this.place.folder, FOLDERS[subject])).flatMap((file) => {
      const note = read<Note>(file);
      return this.isAbout(object, note) ? [{ file, note: note! }] : [];
    });
  }

  private isAbout(object: ObjectRef, note: Note | undefined): boolean {
    return note?.id === idOf(object) && note.url === this.place.url;
  }

  private file(subject: Subject, object: ObjectRef): string {
    const { folder, url, workspace } = this.place;
    return join(folder, FOLDERS[subject], fileName(`${url} ${workspace} ${idOf(object)}`));
  }

  private sharedFile(subject: SharedSubject, object: ObjectRef): string {
    return join(this.place.folder, FOLDERS[subject], fileName(`${this.place.url} ${idOf(object)}`));
  }

  private receiptFile(platform: string): string {
    const { folder, url, run } = this.place;
    return join(folder, RECEIPTS, fileName(`${url} ${run} ${platform}`));
  }
}

function fileName(key: string): string {
  return `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`;
}

/** Whole or not at all, whenever the machine dies. */
function save(file: string, content: object): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, `${JSON.stringify(content)}\n`, { flush: true });
    renameSync(draft, file);
  } catch (error) {
    discard(draft);
    throw error;
  }
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The folder is read-only, or a file stands in its place.
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
  attempt(() => rmSync(file, { force: true }));
}

function read<T = Note>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    // Missing, or cut off when its writer was killed before it sent anything.
    return undefined;
  }
}
