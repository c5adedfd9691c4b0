import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "./clock";
import type { Declared } from "../declarations/declaration";
import { changedFields, fingerprint, type Fingerprint } from "./fingerprint";
import { LifecycleError } from "./lifecycle-error";
import { idOf, parseObjectId, type ObjectRef } from "../model/object-ref";

export interface Note {
  readonly id: string;
  readonly url: string;
  readonly workspace: string;
  /** The Platform whose run wrote it; missing if the writer did not know it. */
  readonly platform?: string;
  /** When it was first written, ISO 8601. */
  readonly at: string;
  /** Of a create: when its last request was sent, ISO 8601. */
  readonly sentAt?: string;
  /** Of a create by a hook: when it was known that the service has the object, ISO 8601. */
  readonly answeredAt?: string;
  /** Of a create: the different declarations of the requests whose outcome is not known. */
  readonly declared?: readonly Fingerprint[];
  /** Of a deletion: the Terraform run that sent it. */
  readonly run?: string;
  /** Of a deletion: the id of the resource in the state. */
  readonly resourceId?: string;
}

/** Folder of the notes of hooks, below the folder that Terraform runs in. */
export const NOTES_FOLDER = ".cluster-platform";

/**
 * Creates that the state may not have, providers that are registered but may not be ready, deletions that were sent, and creates
 * that sent nothing because the name was taken.
 */
const FOLDERS = { creation: "intents", registration: "registrations", deletion: "deletions", refusal: "refusals" };
/** Notes of one Terraform workspace. */
type Subject = "creation" | "registration";
/** Notes for all workspaces, because a destroy hook does not know its workspace. */
type SharedSubject = "deletion" | "refusal";

/** Proves that the deletion guard of a Platform has let a run pass. */
export interface GuardReceipt {
  /** Whether the guard has found an object of the state on the service. */
  readonly serviceSeen: boolean;
}
const RECEIPTS = "guards";
/** How long the note of an answered create shows that the object is this stack's, in milliseconds. */
const ANSWERED_COUNTS_MS = 3_600_000;
/** Longer than any run of Terraform takes, in milliseconds. */
const RECEIPTS_KEPT_MS = 7 * 24 * 3_600_000;

export interface JournalPlace {
  /** The first note creates it. */
  readonly folder: string;
  readonly url: string;
  /** Earlier URLs of the same service. Notes of creates and registrations that name one of them count. */
  readonly formerUrls?: readonly string[];
  /** Empty if unknown. Workspaces share a folder but no state, so the object of one is foreign to the others. */
  readonly workspace: string;
  /** Name of the Platform; empty if it has none. */
  readonly platform?: string;
  /** Identifies the run of Terraform on this machine. */
  readonly run: string;
}

/**
 * Notes about requests on this machine. The note of a create is written after its name was found free and before its request is
 * sent. It is removed when the service refuses the request, or when Terraform's state has the object. After a kill in between, the
 * note shows the next apply that the object belongs to this stack.
 */
export class Journal {
  constructor(
    private readonly place: JournalPlace,
    private readonly clock: Clock,
  ) {}

  read(subject: Subject, object: ObjectRef): Note | undefined {
    const notes = this.files(subject, object).map((file) => read<Note>(file));
    return notes.find(
      (note) => this.isAbout(object, note) && note?.workspace === this.place.workspace && !this.isOutdated(note!),
    );
  }

  /**
   * Without the note, a kill could leave an object that no stack knows.
   * @param earlier note of earlier requests that the service may still carry out
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
        summary: `${note.id}: cannot write the note of its create to ${file} (${(error as Error).message}); nothing was sent`,
        remedy: "Make the folder that Terraform runs in writable and apply again",
        cause: error,
      });
    }
    return note;
  }

  /**
   * Notes that the service has the object. The state may still lack it if Terraform is stopped now. If another machine continues
   * with the stack, nothing removes the note here, so it soon counts no more.
   */
  answered(object: ObjectRef): void {
    const file = this.file("creation", object);
    const note = read<Note>(file);
    if (note) attempt(() => save(file, { ...note, answeredAt: new Date(this.clock.now()).toISOString() }));
  }

  private isOutdated({ answeredAt }: Note): boolean {
    return answeredAt !== undefined && Date.parse(answeredAt) + ANSWERED_COUNTS_MS < this.clock.now();
  }

  /** Restores the earlier note, because the last request was refused. */
  takeBackCreation(object: ObjectRef, earlier: Note | undefined): void {
    const file = this.file("creation", object);
    if (earlier) attempt(() => save(file, earlier));
    else discard(file);
  }

  /** Objects that runs of this workspace and Platform were creating when they ended. */
  creations(): ObjectRef[] {
    const ids = this.ownCreations().flatMap(({ id, url }) => (this.urls.includes(url) ? [id] : []));
    return [...new Set(ids)].flatMap((id) => parseObjectId(id) ?? []);
  }

  /** Like {@link creations}, but on services with other URLs. */
  creationsElsewhere(): { readonly object: ObjectRef; readonly url: string }[] {
    return this.ownCreations().flatMap(({ id, url }) => {
      const object = this.urls.includes(url) ? undefined : parseObjectId(id);
      return object ? [{ object, url }] : [];
    });
  }

  private ownCreations(): Note[] {
    const { folder, workspace, platform } = this.place;
    const isOwn = (note?: Note) => note?.workspace === workspace && (note.platform ?? platform) === platform;
    return filesIn(join(folder, FOLDERS.creation)).flatMap((file) => {
      const note = read<Note>(file);
      return note && isOwn(note) ? [note] : [];
    });
  }

  /**
   * Writes a note that a registered provider is perhaps not ready yet. Without the note, a create of a cluster that the service
   * refuses for that reason is not repeated.
   */
  writeRegistration(object: ObjectRef): void {
    attempt(() => save(this.file("registration", object), this.note(object)));
  }

  /** The latest note of a create, of any workspace. */
  creationAnywhere(object: ObjectRef, { isAnswered = true } = {}): Note | undefined {
    return this.notes("creation", object)
      .map(({ note }) => note)
      .filter((note) => (isAnswered ? !this.isOutdated(note) : note.answeredAt === undefined))
      .sort((one, other) => Date.parse(one.sentAt ?? one.at) - Date.parse(other.sentAt ?? other.at))
      .at(-1);
  }

  /**
   * A hook sends a DELETE only after it has found the object with the type and provider of the state. So the note of a DELETE
   * proves that the service is the right one.
   * Without the note, a later hook needs another proof.
   */
  writeDeletion(object: ObjectRef, resourceId: string): void {
    attempt(() => save(this.sharedFile("deletion", object), { ...this.note(object), run: this.place.run, resourceId }));
  }

  /**
   * Whether this run or an earlier one has sent a DELETE for the object.
   * @param resourceId the id in the state, if the caller knows it. The note of a DELETE for another id does not count,
   * because another machine may have created the object again.
   */
  wasDeletionSent(object: ObjectRef, resourceId?: string): boolean {
    const note = read<Note>(this.sharedFile("deletion", object));
    return this.isAbout(object, note) && (resourceId === undefined || note?.resourceId === resourceId);
  }

  /** Whether this run has sent a DELETE for the object. An earlier run does not count. */
  wasDeletedByThisRun(object: ObjectRef): boolean {
    const note = read<Note>(this.sharedFile("deletion", object));
    return this.isAbout(object, note) && note?.run === this.place.run;
  }

  /** Writes a note that a create sent nothing, because its name was taken. */
  writeRefusal(object: ObjectRef): void {
    attempt(() => save(this.sharedFile("refusal", object), this.note(object)));
  }

  /**
   * Whether the object under the name probably belongs to somebody else: the last create sent nothing, and no create has an
   * unknown outcome. It can still belong to this stack if its instance was tainted by hand.
   */
  wasRefused(object: ObjectRef): boolean {
    return this.isAbout(object, read(this.sharedFile("refusal", object))) && this.creationAnywhere(object) === undefined;
  }

  /** Whether this run has sent a DELETE to this service, which is then the service of the state. */
  hasDeleted(): boolean {
    const { url, run } = this.place;
    return filesIn(join(this.place.folder, FOLDERS.deletion)).some((file) => {
      const note = read(file);
      return note?.url === url && note.run === run;
    });
  }

  /** Without a receipt, each destroy hook checks by itself. */
  writeReceipt(platform: string, receipt: GuardReceipt): void {
    attempt(() => {
      const old = this.clock.now() - RECEIPTS_KEPT_MS;
      for (const file of filesIn(join(this.place.folder, RECEIPTS))) if (statSync(file).mtimeMs < old) discard(file);
      save(this.receiptFile(platform), receipt);
    });
  }

  /** Undefined if no guard has run. */
  receipt(platform: string): GuardReceipt | undefined {
    return read(this.receiptFile(platform));
  }

  /**
   * Removes the notes of an earlier deletion or refusal, because the object is created or taken over now. The note of the create
   * stays: Terraform may be stopped before its state has the object.
   */
  forgetDeletion(object: ObjectRef): void {
    for (const subject of ["deletion", "refusal"] as const) discard(this.sharedFile(subject, object));
  }

  /** Removes the note about the create of an object that is now in the stack's state. */
  settleCreation(object: ObjectRef): void {
    this.files("creation", object).forEach(discard);
  }

  /** For all workspaces. The object is gone, so a later object with its name is another one. Never fails. */
  forgetCreation(object: ObjectRef): void {
    for (const subject of ["creation", "registration"] as const) {
      for (const { file } of this.notes(subject, object)) discard(file);
    }
  }

  forget(objects: readonly ObjectRef[]): void {
    for (const object of objects) {
      this.forgetCreation(object);
      this.forgetDeletion(object);
    }
  }

  private note(object: ObjectRef): Note {
    const { url, workspace, platform } = this.place;
    return { id: idOf(object), url, workspace, platform, at: new Date(this.clock.now()).toISOString() };
  }

  private notes(subject: Subject, object: ObjectRef): { file: string; note: Note }[] {
    return filesIn(join(this.place.folder, FOLDERS[subject])).flatMap((file) => {
      const note = read<Note>(file);
      return this.isAbout(object, note) ? [{ file, note: note! }] : [];
    });
  }

  private isAbout(object: ObjectRef, note: Note | undefined): boolean {
    return note?.id === idOf(object) && this.urls.includes(note.url);
  }

  private get urls(): readonly string[] {
    return [this.place.url, ...(this.place.formerUrls ?? [])];
  }

  private file(subject: Subject, object: ObjectRef): string {
    return this.files(subject, object)[0]!;
  }

  /** One for each URL of the service, beginning with the present one. */
  private files(subject: Subject, object: ObjectRef): string[] {
    const { folder, workspace } = this.place;
    return this.urls.map((url) => join(folder, FOLDERS[subject], fileName(`${url} ${workspace} ${idOf(object)}`)));
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

/** Writes a file completely or not at all, even if the machine dies. */
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
    // The folder is read-only, or a file is in its place.
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** A note that cannot be removed does no harm: a note is compared with the declaration and the live object before it is used. */
function discard(file: string): void {
  attempt(() => rmSync(file, { force: true }));
}

function read<T = Note>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return undefined;
  }
}
