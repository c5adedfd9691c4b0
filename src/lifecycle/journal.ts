import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../util/clock";
import type { Declared } from "../declarations/declaration";
import { changedSinceNote, fingerprint } from "./fingerprint";
import { LifecycleError } from "./lifecycle-error";
import { decide } from "./remedy";
import type { NotesFolder } from "./machine";
import {
  type AbsenceNote,
  ANSWERED_PROVES_MS,
  type CreationNote,
  type DeletionNote,
  FOLDERS,
  ghostMs,
  type Note,
  PROVES_MS,
  RECEIPTS,
  type RequestsNote,
  type SharedSubject,
  type Subject,
  type UnansweredRequest,
} from "./notes";
import { LATE_MS } from "./times";
import { idOf, parseObjectId, type ObjectRef } from "../model/object-ref";
import { TIME_LIMITS } from "../model/time-limits";

export interface JournalPlace {
  readonly notes: NotesFolder;
  readonly url: string;
  /** Empty if unknown. Workspaces share a folder but no state, so the object of one is foreign to the others. */
  readonly workspace: string;
  /** Name of the Platform; empty if it has none. */
  readonly platform?: string;
  /** Identifies the run of Terraform on this machine. */
  readonly run: string;
}

/** Whether there is a note of a create, about any service. */
export function hasCreations(notes: NotesFolder): boolean {
  return notes.list(FOLDERS.creation).length > 0;
}

/** The notes of this machine about one service. */
export class Journal {
  constructor(
    private readonly place: JournalPlace,
    private readonly clock: Clock,
  ) {}

  /** The notes of another Platform or workspace in the same folder. */
  at(place: Pick<JournalPlace, "workspace" | "platform">): Journal {
    return new Journal({ ...this.place, ...place }, this.clock);
  }

  /** The note of a create in this workspace, if it is still a proof. */
  creationOf(object: ObjectRef): CreationNote | undefined {
    return this.ownCreation(object, (note) => this.isProof(note));
  }

  /** The note of a create that proves nothing any more. */
  creationHint(object: ObjectRef): CreationNote | undefined {
    return this.ownCreation(object, (note) => !this.isProof(note)) ?? this.shared("settled", object);
  }

  /** The workspace of a note, if it is another one than that of this run. */
  otherWorkspaceOf({ workspace }: Note): string | undefined {
    const own = this.place.workspace;
    return own !== "" && workspace !== "" && workspace !== own ? workspace : undefined;
  }

  /** Whether the state may have a declaration of the object that no request has sent. See {@link contradict}. */
  isContradicted(object: ObjectRef): boolean {
    return this.ownCreation(object, ({ isContradicted }) => isContradicted === true) !== undefined;
  }

  /** Whether this run has sent the request of the note, or has continued with the object. */
  isOfThisRun({ run }: CreationNote): boolean {
    return run === this.place.run;
  }

  /**
   * The note of another create in this run, also if the state has the object by now.
   * @param own note of the create that asks
   */
  creationOfAnother(object: ObjectRef, own?: CreationNote): CreationNote | undefined {
    const sentAt = own && this.isOfThisRun(own) ? own.sentAt : "";
    const fits = (note: CreationNote) => this.isOfThisRun(note) && note.sentAt !== sentAt;
    const settled = this.shared<CreationNote>("settled", object);
    return this.ownCreation(object, fits) ?? (settled && fits(settled) ? settled : undefined);
  }

  /** Notes that this run continues with the object. */
  takeCreation(object: ObjectRef): void {
    this.amend<CreationNote>(this.file("creation", object), { run: this.place.run });
  }

  /** Notes that another instance was to create what this run has created. The note does not show which instance has the object. */
  contest(object: ObjectRef): void {
    const file = this.file("creation", object);
    const note = this.load<CreationNote>(file);
    if (note && this.isOfThisRun(note)) this.amend<CreationNote>(file, { isContested: true });
  }

  private ownCreation(object: ObjectRef, fits: (note: CreationNote) => boolean): CreationNote | undefined {
    const note = this.own<CreationNote>("creation", object);
    return note && fits(note) ? note : undefined;
  }

  /** When the provider was registered, ISO 8601. Undefined if it was ready at once, or if another workspace has registered it. */
  registeredAt(provider: ObjectRef): string | undefined {
    return this.own("registration", provider)?.at;
  }

  /**
   * Without the note, a kill could leave an object that no stack knows.
   * @param earlier note of earlier requests that the service may still carry out
   * @param createSeconds the time limit of the request
   * @throws INVALID_SETTING
   */
  writeCreation(
    object: ObjectRef,
    { declared, digest }: { readonly declared: Declared; readonly digest?: string },
    earlier?: CreationNote,
    createSeconds: number = TIME_LIMITS.createSeconds.default,
  ): CreationNote {
    const { at, ...rest } = this.note(object);
    const before = earlier?.declared ?? [];
    const known = before.find((noted) => changedSinceNote(noted, declared).length === 0);
    const own = known ?? fingerprint(declared);
    const replaces = this.replacedNow(object) ?? earlier?.replaces;
    const file = this.file("creation", object);
    const { run } = this.place;
    const sent = known ? before : [...before, own];
    const sending = { ...rest, run, at: earlier?.at ?? at, sentAt: at, declared: sent, digest, ...(replaces && { replaces }) };
    const note = this.contestedAs(file, sending);
    try {
      const overAt = new Date(Date.parse(at) + createSeconds * 1000 + LATE_MS).toISOString();
      const requests = [...this.requestsOf(object), { sentAt: at, overAt, declared: own }];
      this.save(this.file("request", object), { ...this.note(object), requests });
      this.save(file, note);
    } catch (error) {
      this.takeBackCreation(object, note, earlier);
      throw this.unwritable(object, "create", file, error);
    }
    return note;
  }

  private unwritable(object: ObjectRef, request: "create" | "deletion", file: string, cause: unknown): LifecycleError {
    return new LifecycleError({
      code: "INVALID_SETTING",
      objects: [object],
      summary: `${idOf(object)}: cannot write the note of its ${request} to ${join(this.place.notes.path, file)} (${(cause as Error).message}); nothing was sent`,
      remedies: [
        decide(`${isFull(cause) ? "Make room on the disk" : "Make the folder that Terraform runs in writable"} and apply again`),
      ],
      cause,
    });
  }

  /** What a request replaces that is sent now. */
  private replacedNow(object: ObjectRef): CreationNote["replaces"] {
    const deletion = this.shared<DeletionNote>("deletion", object);
    const uid = this.shared<AbsenceNote>("absence", object)?.uid ?? deletion?.uid;
    return uid === undefined ? undefined : { at: deletion?.at, uid };
  }

  /**
   * Notes that the service has made the live object as declared. It may still carry out the other requests when the object is gone.
   * @param answered the note of the request that the service has confirmed. @default - a look has found the object
   */
  confirmCreation(
    object: ObjectRef,
    { declared, digest }: { readonly declared: Declared; readonly digest?: string },
    answered?: CreationNote,
  ): void {
    const file = this.file("creation", object);
    const sent = this.load<CreationNote>(file)?.declared?.filter((noted) => changedSinceNote(noted, declared).length === 0);
    this.amend<CreationNote>(file, { declared: sent, digest });
    if (answered) this.dropRequest(object, answered, { isMadeByAnother: true });
    else this.dropOnlyRequest(object);
  }

  /** For messages. */
  creationPath(object: ObjectRef): string {
    return join(this.place.notes.path, this.file("creation", object));
  }

  /** Notes that the service has the object. The state may still lack it if Terraform is stopped now. */
  answered(object: ObjectRef): void {
    this.amend<CreationNote>(this.file("creation", object), { answeredAt: this.timestamp(), isContradicted: undefined });
  }

  /**
   * Notes that a create with another declaration begins. Terraform may record it as successful if both are killed.
   * @param isContradicted false when that create has ended while Terraform runs
   */
  contradict(object: ObjectRef, isContradicted = true): void {
    this.amend<CreationNote>(this.file("creation", object), { isContradicted: isContradicted || undefined });
  }

  private amend<T extends Note>(file: string, changes: Partial<T>): void {
    const note = this.load<T>(file);
    if (note) attempt(() => this.save(file, { ...note, ...changes }));
  }

  private timestamp(): string {
    return new Date(this.clock.now()).toISOString();
  }

  private isProof({ at, sentAt, answeredAt }: CreationNote): boolean {
    return answeredAt === undefined ? this.isWithin(sentAt ?? at, PROVES_MS) : this.isWithin(answeredAt, ANSWERED_PROVES_MS);
  }

  /** A time in the future is as doubtful as one in the past: the clock was set. */
  private isWithin(at: string, milliseconds: number): boolean {
    return Math.abs(this.clock.now() - Date.parse(at)) < milliseconds;
  }

  /**
   * Restores the earlier note, because the request of the note was refused. A note that another instance has written since stays.
   */
  takeBackCreation(object: ObjectRef, { sentAt }: CreationNote, earlier: CreationNote | undefined): void {
    this.dropRequest(object, { sentAt });
    const file = this.file("creation", object);
    if (this.load<CreationNote>(file)?.sentAt === sentAt) this.restore(file, earlier && this.contestedAs(file, earlier));
  }

  /** The note that is to replace the one in the file. Another instance may have contested that since this run has written it. */
  private contestedAs(file: string, note: CreationNote): CreationNote {
    const replaced = this.load<CreationNote>(file);
    return replaced?.isContested && this.isOfThisRun(replaced) ? { ...note, isContested: true } : note;
  }

  private restore(file: string, earlier: Note | undefined): void {
    if (earlier) attempt(() => this.save(file, earlier));
    else this.discard(file);
  }

  /** Objects that runs of this workspace and Platform were creating when they ended. */
  creations(): ObjectRef[] {
    return this.creationsThat(() => true);
  }

  /**
   * Like {@link creations}, without those that the state has. A plugin that has planned the run and ended in an orderly way has
   * noted that: see {@link settleCreation}.
   */
  creationsInNoState(): ObjectRef[] {
    return this.creationsThat(({ isReplacedStored }) => !isReplacedStored);
  }

  /** Like {@link creationsInNoState}, for all other Platforms, because a stack has one Platform per service. */
  creationsOfLeftPlatforms(): ObjectRef[] {
    const hasLeft = (platform?: string) => platform !== undefined && platform !== this.place.platform;
    return this.creationsThat(({ isReplacedStored }) => !isReplacedStored, hasLeft);
  }

  private creationsThat(fits: (note: CreationNote) => boolean, isOf?: (platform?: string) => boolean): ObjectRef[] {
    const ids = this.creationNotes(isOf).flatMap((note) => (note.url === this.place.url && fits(note) ? [note.id] : []));
    return [...new Set(ids)].flatMap((id) => parseObjectId(id) ?? []);
  }

  /** Like {@link creations}, but on services with other URLs. */
  creationsElsewhere(): { readonly object: ObjectRef; readonly url: string }[] {
    return this.creationNotes().flatMap(({ id, url }) => {
      const object = url === this.place.url ? undefined : parseObjectId(id);
      return object ? [{ object, url }] : [];
    });
  }

  private creationNotes(isOf = this.isOwn): CreationNote[] {
    const { notes, workspace } = this.place;
    return notes.list(FOLDERS.creation).flatMap((file) => {
      const note = this.load<CreationNote>(file);
      return note?.workspace === workspace && isOf(note.platform) ? [note] : [];
    });
  }

  private readonly isOwn = (platform = this.place.platform): boolean => platform === this.place.platform;

  /**
   * Writes a note that a registered provider is perhaps not ready yet. Without the note, a create of a cluster that the service
   * refuses for that reason is not repeated.
   */
  writeRegistration(object: ObjectRef): void {
    attempt(() => this.save(this.file("registration", object), this.note(object)));
  }

  /** Whether a create in any workspace was sent and got no answer, and the service may still carry it out. */
  mayStillBeCreated(object: ObjectRef): boolean {
    return this.unansweredAnywhere(object).length > 0;
  }

  /** The note of the requests of this workspace that the service may still carry out, whatever has become of the object since. */
  unansweredCreation(object: ObjectRef): CreationNote | undefined {
    const requests = this.requestsOf(object);
    const [first, last] = [requests[0], requests.at(-1)];
    if (!first || !last) return undefined;
    const unanswered = this.ownCreation(object, ({ answeredAt }) => answeredAt === undefined);
    const declared = new Map(requests.map((request) => [request.declared.salt, request.declared]));
    return {
      ...(unanswered ?? { ...this.note(object), at: first.sentAt }),
      sentAt: last.sentAt,
      declared: [...declared.values()],
    };
  }

  private requestsOf(object: ObjectRef): readonly UnansweredRequest[] {
    return this.unanswered(this.own("request", object));
  }

  private unansweredAnywhere(object: ObjectRef): readonly UnansweredRequest[] {
    return this.notes<RequestsNote>("request", object).flatMap(({ note }) => this.unanswered(note));
  }

  private unanswered(note: RequestsNote | undefined): readonly UnansweredRequest[] {
    return note?.requests.filter(({ sentAt, overAt }) => this.isWithin(sentAt, Date.parse(overAt) - Date.parse(sentAt))) ?? [];
  }

  private dropRequest(
    object: ObjectRef,
    { sentAt }: Pick<CreationNote, "sentAt">,
    changes: Pick<RequestsNote, "isMadeByAnother"> = {},
  ): void {
    const file = this.file("request", object);
    const requests = this.load<RequestsNote>(file)?.requests.filter((request) => request.sentAt !== sentAt) ?? [];
    if (requests.length > 0) this.amend<RequestsNote>(file, { ...changes, requests });
    else this.discard(file);
  }

  /** A look has found the object. If there are several requests, it is not known which one has made it. */
  private dropOnlyRequest(object: ObjectRef): void {
    const notes = this.notes<RequestsNote>("request", object);
    if (this.unansweredAnywhere(object).length > 1 || notes.some(({ note }) => note.isMadeByAnother)) return;
    for (const { file } of notes) this.discard(file);
  }

  /** Whether a create in any workspace may have left the object: no later run has found it in its state, or gone. */
  mayHaveCreated(object: ObjectRef): boolean {
    return this.creationsAnywhere(object).length > 0;
  }

  /**
   * Whether an apply has deleted the object with this uid, or found it gone, and has sent another create since. That object never
   * comes back, so an old note shows this as well. No times are compared.
   * @param digest of the declaration that the live object then has. An old note does not show that. @default - any
   */
  wasReplaced(object: ObjectRef, uid: string, digest?: string): boolean {
    const deletion = this.deletionOf(object);
    return this.sentAnywhere(object).some(
      (note) =>
        note.replaces?.uid === uid &&
        (deletion === undefined || this.isAfter(note, deletion)) &&
        (digest === undefined || (this.isProof(note) && note.declared?.length === 1 && note.digest === digest)),
    );
  }

  /**
   * Whether a create in any workspace has sent another declaration than that of an instance. An old note shows this as well.
   * @param digest undefined if it is not known
   */
  hasSentOther(object: ObjectRef, digest: string | undefined): boolean {
    return digest !== undefined && this.sentAnywhere(object).some(({ digest: sent = digest }) => sent !== digest);
  }

  private sentAnywhere(object: ObjectRef): CreationNote[] {
    const settled = this.shared<CreationNote>("settled", object);
    return [...this.creationsAnywhere(object), ...(settled ? [settled] : [])];
  }

  private creationsAnywhere(object: ObjectRef): CreationNote[] {
    return this.notes<CreationNote>("creation", object).map(({ note }) => note);
  }

  /**
   * A DELETE is sent only after a look has found the object with the type and provider of the state. Without the note, a later run
   * needs another proof, and a replacement could not note its create.
   * @param changedAt the latest time in the conditions of the live object
   * @returns the note before, for {@link takeBackDeletion}
   * @throws INVALID_SETTING
   */
  writeDeletion(object: ObjectRef, uid: string, changedAt?: string): DeletionNote | undefined {
    const file = this.sharedFile("deletion", object);
    const before = this.load<DeletionNote>(file);
    const { run } = this.place;
    // Until this DELETE is answered, the service may still carry out the one that it has accepted.
    const isUnderWay = this.recentDeletion(object, uid)?.isUnderWay;
    const more = { ...(changedAt && { changedAt }), ...(isUnderWay && { isUnderWay }) };
    try {
      this.save(file, { ...this.note(object), run, uid, ...more });
    } catch (error) {
      // The note of an earlier DELETE for the same object proves the same.
      if (before?.uid !== uid) throw this.unwritable(object, "deletion", file, error);
    }
    this.discardShared("absence", object);
    this.dropOnlyRequest(object);
    return before;
  }

  /** Notes that the object in the state is gone. A request to create it that is sent from now on replaces it. */
  writeAbsence(object: ObjectRef, uid: string): void {
    attempt(() => this.save(this.sharedFile("absence", object), { ...this.note(object), uid }));
  }

  /** Restores the earlier note, because the last DELETE was refused. */
  takeBackDeletion(object: ObjectRef, earlier: DeletionNote | undefined): void {
    this.restore(this.sharedFile("deletion", object), earlier);
  }

  /** Notes that a list still shows the object after its DELETE. The service may take longer than the stack waits. */
  stillListed(object: ObjectRef): void {
    this.amend<DeletionNote>(this.sharedFile("deletion", object), { listedAt: this.timestamp() });
  }

  /** The service has answered the last DELETE: it has deleted the object, or does so later. */
  deletionAnswered(object: ObjectRef, isUnderWay: boolean): void {
    this.amend<DeletionNote>(this.sharedFile("deletion", object), { isAnswered: true, isUnderWay: isUnderWay || undefined });
  }

  /** The answer to the last DELETE may come from a proxy, so it does not prove that this service is the right one. */
  doubtDeletion(object: ObjectRef): void {
    this.amend<DeletionNote>(this.sharedFile("deletion", object), { isDoubtful: true });
  }

  /**
   * Whether this stack has sent a DELETE for the object to this service.
   * @param uid of the object in the state, if the caller knows it. The note of a DELETE for another uid does not count,
   * because another machine may have created the object again.
   */
  wasDeletionSent(object: ObjectRef, uid?: string): boolean {
    const note = this.deletionOf(object);
    return note !== undefined && (uid === undefined || (note.uid === uid && !note.isDoubtful));
  }

  /** Whether the service has answered a DELETE of this run. After an earlier run, another machine may have created the object again. */
  wasDeletionAnswered(object: ObjectRef): boolean {
    const note = this.deletionOf(object);
    return note?.isAnswered === true && note.run === this.place.run;
  }

  /**
   * The note of a DELETE of a few minutes ago. Some lists may still show the deleted object, so an object under the name must not
   * be adopted or continued with.
   * @param uid as for {@link wasDeletionSent}
   */
  recentDeletion(object: ObjectRef, uid?: string): DeletionNote | undefined {
    const note = this.deletionOf(object);
    if (uid !== undefined && note?.uid !== uid) return undefined;
    return note && this.isWithin(note.listedAt ?? note.at, ghostMs(note)) ? note : undefined;
  }

  /** Whether a request of the note was sent after the DELETE. */
  isAfter({ replaces }: CreationNote, deletion: DeletionNote): boolean {
    return replaces?.at === deletion.at;
  }

  /** The note of a DELETE that is still a proof. */
  deletionOf(object: ObjectRef): DeletionNote | undefined {
    const note = this.shared<DeletionNote>("deletion", object);
    return note && this.isWithin(note.at, PROVES_MS) ? note : undefined;
  }

  /**
   * Terraform forgets an object that stays on the service. Its create proves nothing any more, except that the object has
   * replaced another one: if the state is lost, it has that one again.
   */
  release(object: ObjectRef): void {
    for (const { file, note } of this.notes<CreationNote>("creation", object)) this.settle(object, file, note);
    this.discardAll("registration", object);
    this.forgetRefusal(object);
  }

  /** Writes a note that a create sent nothing, because its name was taken. */
  writeRefusal(object: ObjectRef): void {
    attempt(() => this.save(this.sharedFile("refusal", object), this.note(object)));
  }

  /**
   * Whether the object under the name probably belongs to somebody else: the last create sent nothing, and no create has an
   * unknown outcome. It can still belong to this stack if its instance was tainted by hand.
   */
  wasRefused(object: ObjectRef): boolean {
    return this.shared("refusal", object) !== undefined && !this.mayHaveCreated(object);
  }

  /** Whether this run has sent a DELETE to this service, which is then the service of the state. */
  hasDeleted(): boolean {
    const { url, run } = this.place;
    return this.place.notes.list(FOLDERS.deletion).some((file) => {
      const note = this.load<DeletionNote>(file);
      return note?.url === url && note.run === run && !note.isDoubtful;
    });
  }

  /** Notes that the deletion guard has found an object of the state on the service. Removes notes that prove nothing any more. */
  writeReceipt(): void {
    attempt(() => {
      for (const file of [RECEIPTS, FOLDERS.deletion, FOLDERS.request].flatMap((folder) => this.place.notes.list(folder))) {
        const at = this.load<Pick<Note, "at">>(file)?.at;
        if (at !== undefined && !this.isWithin(at, PROVES_MS)) this.discard(file);
      }
      this.save(this.receiptFile, { at: this.timestamp() });
    });
  }

  /** Without a receipt, each destroy hook checks the service by itself. */
  hasReceipt(): boolean {
    return this.load(this.receiptFile) !== undefined;
  }

  /**
   * Removes the notes of an earlier deletion or refusal, because the object is created or taken over now. The note of the create
   * stays: Terraform may be stopped before its state has the object.
   */
  forgetDeletion(object: ObjectRef): void {
    for (const subject of ["absence", "deletion"] as const) this.discardShared(subject, object);
    this.forgetRefusal(object);
  }

  /**
   * A create may end after its Terraform was killed and a later run has deleted the object.
   * @returns removes the notes of an earlier object of the name that are there now, and none that is written since
   */
  earlierObject(object: ObjectRef): () => void {
    const files = (["absence", "deletion"] as const).map((subject) => this.sharedFile(subject, object));
    const before = new Map(files.map((file) => [file, this.load<Note>(file)?.at]));
    return () => {
      this.forgetRefusal(object);
      for (const [file, at] of before) if (this.load<Note>(file)?.at === at) this.discard(file);
    };
  }

  /**
   * Removes the note of a refusal. An adoption of an object that is perhaps not from the noted request removes nothing else: the notes
   * that say so stay as long as that of the create, because Terraform may be stopped before its state has the object. A later run then
   * needs the permission to adopt again.
   */
  forgetRefusal(object: ObjectRef): void {
    this.discardShared("refusal", object);
  }

  /**
   * The create of an object proves nothing any more when the stack's state has the object. Removes the note of its refusal, too. If
   * the state has the object that the create replaces, notes that instead.
   * @param uid of the object in the state, if the state may still have the object that the create replaces
   */
  settleCreation(object: ObjectRef, uid?: string): void {
    const refusal = this.shared("refusal", object);
    if (refusal?.workspace === this.place.workspace && this.isOwn(refusal.platform)) this.discardShared("refusal", object);
    const file = this.file("creation", object);
    const note = this.load<CreationNote>(file);
    const replaced = uid === undefined ? undefined : note?.replaces?.uid;
    if (replaced !== undefined && replaced === uid) this.amend<CreationNote>(file, { isReplacedStored: true });
    else this.settle(object, file, note);
  }

  private settle(object: ObjectRef, file: string, note: CreationNote | undefined): void {
    if (note) attempt(() => this.save(this.sharedFile("settled", object), note));
    this.discard(file);
  }

  /**
   * The state has the object that a settled create has replaced, so the state that had the new one was lost. The next create continues
   * with that.
   * @param uid of the object in the state
   */
  resumeCreation(object: ObjectRef, uid: string): void {
    const note = this.shared<CreationNote>("settled", object);
    if (note?.replaces?.uid !== uid) return;
    attempt(() => this.save(this.at(note).file("creation", object), note));
    this.discardShared("settled", object);
  }

  /** For all workspaces. The object is gone, so a later object with its name is another one. Never fails. */
  forgetCreation(object: ObjectRef): void {
    this.discardAll("creation", object);
    this.discardAll("registration", object);
    this.discardShared("settled", object);
    this.amend<DeletionNote>(this.sharedFile("deletion", object), { isUnderWay: undefined });
  }

  private discardAll(subject: "creation" | "registration", object: ObjectRef): void {
    for (const { file } of this.notes(subject, object)) this.discard(file);
  }

  /** The stack does not have the objects any more. The notes of their deletions stay, because some lists may still show them. */
  forgetAbsent(objects: readonly ObjectRef[]): void {
    for (const object of objects) {
      this.forgetCreation(object);
      this.forgetRefusal(object);
    }
  }

  private note(object: ObjectRef): Note {
    const { url, workspace, platform } = this.place;
    return { id: idOf(object), url, workspace, platform, at: this.timestamp() };
  }

  private notes<T extends Note>(subject: Subject, object: ObjectRef): { file: string; note: T }[] {
    return this.place.notes.list(FOLDERS[subject]).flatMap((file) => {
      const note = this.load<T>(file);
      return this.isAbout(object, note) ? [{ file, note: note! }] : [];
    });
  }

  private isAbout(object: ObjectRef, note: Note | undefined): boolean {
    return note?.id === idOf(object) && note.url === this.place.url;
  }

  private file(subject: Subject, object: ObjectRef): string {
    const { url, workspace } = this.place;
    return join(FOLDERS[subject], fileName(`${url} ${workspace} ${idOf(object)}`));
  }

  /** The note of this workspace. */
  private own<T extends Note = Note>(subject: Subject, object: ObjectRef): T | undefined {
    const note = this.load<T>(this.file(subject, object));
    return this.isAbout(object, note) && note?.workspace === this.place.workspace ? note : undefined;
  }

  private sharedFile(subject: SharedSubject, object: ObjectRef): string {
    const { url } = this.place;
    return join(FOLDERS[subject], fileName(`${url} ${idOf(object)}`));
  }

  private shared<T extends Note = Note>(subject: SharedSubject, object: ObjectRef): T | undefined {
    const note = this.load<T>(this.sharedFile(subject, object));
    return this.isAbout(object, note) ? note : undefined;
  }

  private discardShared(subject: SharedSubject, object: ObjectRef): void {
    this.discard(this.sharedFile(subject, object));
  }

  private get receiptFile(): string {
    const { url, run, platform = "" } = this.place;
    return join(RECEIPTS, fileName(`${url} ${run} ${platform}`));
  }

  private load<T = Note>(file: string): T | undefined {
    try {
      const text = this.place.notes.read(file);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    } catch {
      return undefined;
    }
  }

  private save(file: string, content: object): void {
    this.place.notes.write(file, `${JSON.stringify(content)}\n`);
  }

  /** A note that cannot be removed does no harm: a note is compared with the declaration and the live object before it is used. */
  private discard(file: string): void {
    attempt(() => this.place.notes.remove(file));
  }
}

function isFull(cause: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(String((cause as NodeJS.ErrnoException).code));
}

function fileName(key: string): string {
  return `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`;
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The folder is read-only, or a file is in its place.
  }
}
