import { createHash } from "node:crypto";
import { join } from "node:path";
import type { FlatDeclaration } from "../declarations/declaration";
import { idOf, parseObjectId, type ObjectRef } from "../model/object-ref";
import { TIME_LIMITS } from "../model/time-limits";
import type { Clock } from "../util/clock";
import { changedSinceNote, fingerprint } from "./fingerprint";
import { LifecycleError } from "./lifecycle-error";
import type { NotesFolder } from "./machine";
import { type Facts, isSameCreate, ObjectRecord, type SentCreate, type SentDeletion, type Sender } from "./object-record";
import { decide } from "./remedy";
import { LATE_MS } from "./times";

/** Has a file for each object. */
export const RECORDS = "objects";

export interface JournalPlace extends Sender {
  readonly notes: NotesFolder;
  readonly url: string;
  /** Identifies the run of Terraform on this machine. */
  readonly run: string;
}

/** An object that a workspace has perhaps created, and that no state has shown since. */
export interface OpenCreate {
  readonly object: ObjectRef;
  readonly url: string;
  /** Whether that is the URL of the service now. */
  readonly isHere: boolean;
  /** Whether this Platform has sent it, or an unknown one. */
  readonly isOfPlatform: boolean;
  readonly isReplacedStored: boolean;
}

type FactsChange = (facts: Facts, record: ObjectRecord) => Facts;

/**
 * The records of objects in a folder. Each change reads the file again before it writes it. A fact that shows what the stack has on
 * the service must be written before the request, or before Terraform forgets the object. Any other fact may be lost, because it is
 * compared with the live object before it is used.
 */
export class Journal {
  constructor(
    private readonly place: JournalPlace,
    private readonly clock: Clock,
  ) {}

  /** Of another Platform or workspace in the same folder. */
  at(sender: Sender): Journal {
    return new Journal({ ...this.place, ...sender }, this.clock);
  }

  of(object: ObjectRef): ObjectRecord {
    return this.recordOf(this.load(object));
  }

  /** For messages. */
  pathOf(object: ObjectRef): string {
    return join(this.place.notes.path, this.fileOf(object));
  }

  /** Those of this workspace, on all services and of all Platforms. */
  openCreates(): OpenCreate[] {
    return recordsIn(this.place.notes).flatMap(({ id, url, creates }) => {
      const own = creates.filter((create) => this.isOwnOpen(create));
      const object = own.length > 0 ? parseObjectId(id) : undefined;
      if (!object) return [];
      const isOfPlatform = own.some((create) => this.isOfPlatform(create));
      const isReplacedStored = own.some((create) => create.isReplacedStored);
      return [{ object, url, isHere: url === this.place.url, isOfPlatform, isReplacedStored }];
    });
  }

  /** Whether this run has sent a DELETE to this service, which is then the service of the state. */
  hasDeleted(): boolean {
    const { notes, url, run } = this.place;
    const isOfRun = (deletion?: SentDeletion) => deletion?.run === run && deletion.answer !== "doubtful";
    return recordsIn(notes).some((facts) => facts.url === url && isOfRun(facts.deletion));
  }

  /**
   * Before the POST. Without the note, a kill could leave an object that no stack knows.
   * @param createSeconds the time limit of the request
   * @throws INVALID_SETTING
   */
  createSent(
    object: ObjectRef,
    { declared, digest }: { readonly declared: FlatDeclaration; readonly digest?: string },
    createSeconds: number = TIME_LIMITS.createSeconds.default,
  ): SentCreate {
    const { workspace, platform, run } = this.place;
    const { deletion, goneUid } = this.load(object);
    const uid = goneUid ?? deletion?.uid;
    const sent: SentCreate = {
      workspace,
      platform,
      run,
      sentAt: this.timestamp(),
      overAt: this.timestamp(createSeconds * 1000 + LATE_MS),
      declared: fingerprint(declared),
      digest,
      replaces: uid === undefined ? undefined : { uid, at: deletion?.at },
    };
    this.mustChange(object, "create", (facts, record) => {
      // The name was free. So of the earlier requests, only a late one can still make the object.
      const kept = facts.creates.filter((create) => create.workspace !== workspace || record.isLate(create));
      return { ...facts, creates: [...kept, sent], contradictedIn: undefined };
    });
    return sent;
  }

  createRefused(object: ObjectRef, sent: SentCreate): void {
    this.change(object, (facts) => ({ ...facts, creates: facts.creates.filter((create) => !isSameCreate(create, sent)) }));
  }

  createAnswered(object: ObjectRef, sent: SentCreate): void {
    const provenAt = this.timestamp();
    const after = (create: SentCreate) => (isSameCreate(create, sent) ? { ...create, provenAt } : this.settled(create));
    this.change(object, (facts) => ({ ...withoutEarlier(facts, sent), creates: facts.creates.map(after) }));
  }

  /**
   * A look has found what a create of this workspace has made, and this run continues with it.
   * @param sent by the create of this run that looks. @default - nothing
   */
  createFound(object: ObjectRef, declared: FlatDeclaration, sent?: SentCreate): void {
    const { workspace, run } = this.place;
    const isMaker = (create: SentCreate) =>
      create.workspace === workspace && changedSinceNote(create.declared, declared).length === 0;
    const after = (create: SentCreate) => (isMaker(create) ? { ...create, run, isSettled: undefined } : this.settled(create));
    this.change(object, (facts) => ({ ...withoutEarlier(facts, sent), creates: this.provenIfOnly(facts.creates).map(after) }));
  }

  /**
   * Terraform may be stopped before its state has the object, so the creates stay.
   * @param isDoubtful whether it may be another object than that of a create. What says so stays, and a later run needs the permission
   * to adopt again.
   */
  adopted(object: ObjectRef, isDoubtful: boolean): void {
    this.change(object, (facts) => (isDoubtful ? { ...facts, nameTakenFor: undefined } : withoutEarlier(facts)));
  }

  nameTaken(object: ObjectRef): void {
    const { workspace, platform } = this.place;
    this.change(object, (facts) => ({ ...facts, nameTakenFor: { workspace, platform } }));
  }

  contest(object: ObjectRef): void {
    this.change(object, (facts) => ({ ...facts, contestedIn: this.place.run }));
  }

  /** A create with another declaration begins. If it is killed with Terraform, the state may have that as created. */
  contradictionBegins(object: ObjectRef): void {
    this.change(object, (facts) => {
      const isOpen = facts.creates.some((create) => this.isOwnOpen(create));
      return { ...facts, contradictedIn: isOpen ? this.place.workspace : undefined };
    });
  }

  /** That create has ended while Terraform runs. */
  contradictionEnds(object: ObjectRef): void {
    this.change(object, (facts) => ({ ...facts, contradictedIn: undefined }));
  }

  /** Without this, a cluster that the service refuses because its provider is not ready is not sent again. */
  registered(provider: ObjectRef): void {
    this.change(provider, (facts) => ({ ...facts, registeredAt: this.timestamp() }));
  }

  /**
   * The state has the object, so its creates prove nothing more. They stay, because they show what they have replaced, and because the
   * service may still carry one out. If the state has the object that a create replaces, that create stays open.
   * @param uid in the state
   */
  stored(object: ObjectRef, uid?: string): void {
    this.change(object, (facts) => {
      const { nameTakenFor } = facts;
      const isOwn = nameTakenFor?.workspace === this.place.workspace && this.isOfPlatform(nameTakenFor);
      const open = facts.creates.filter((create) => this.isOwnOpen(create));
      const isReplacedStored = uid !== undefined && open.some(({ replaces }) => replaces?.uid === uid);
      const outcome = isReplacedStored ? ({ isReplacedStored } as const) : ({ isSettled: true } as const);
      return {
        ...facts,
        creates: facts.creates.map((create) => (open.includes(create) ? { ...create, ...outcome } : create)),
        nameTakenFor: isOwn ? undefined : nameTakenFor,
        contradictedIn: undefined,
      };
    });
  }

  /**
   * Before the DELETE. A look has found the object.
   * @param changedAt the latest time in the conditions of the live object
   * @returns the deletion before, for {@link deletionRefused}
   * @throws INVALID_SETTING
   */
  deletionSent(object: ObjectRef, uid: string, changedAt?: string): SentDeletion | undefined {
    const before = this.load(object).deletion;
    this.mustChange(object, "deletion", (facts, record) => {
      // Until this DELETE is answered, the service may still carry out the one that it has accepted.
      const answer = record.recentDeletion(uid)?.answer === "accepted" ? "accepted" : undefined;
      const deletion = { at: this.timestamp(), run: this.place.run, uid, changedAt, answer } as const;
      return { ...facts, creates: this.provenIfOnly(facts.creates), goneUid: undefined, deletion };
    });
    return before;
  }

  deletionRefused(object: ObjectRef, before: SentDeletion | undefined): void {
    this.change(object, (facts) => ({ ...facts, deletion: before }));
  }

  deletionAnswered(object: ObjectRef, answer: SentDeletion["answer"]): void {
    this.amendDeletion(object, { answer });
  }

  /** A list still shows the object. The service may take longer than the stack waits. */
  stillListed(object: ObjectRef): void {
    this.amendDeletion(object, { listedAt: this.timestamp() });
  }

  /** The stack has deleted the object. */
  deleted(object: ObjectRef): void {
    this.change(object, withoutObject);
  }

  /**
   * A create that is sent from now on replaces the object. An earlier one that may come late stays open for the orphan check.
   * @param uid of the object in the state
   */
  foundGone(object: ObjectRef, uid: string): void {
    this.change(object, (facts, record) => ({
      ...(record.mayStillBeCreated ? facts : withoutObject(facts, record)),
      goneUid: uid,
    }));
  }

  /** Neither the stack nor the service has the object. */
  foundNowhere(object: ObjectRef): void {
    this.change(object, (facts, record) => ({ ...withoutObject(facts, record), nameTakenFor: undefined }));
  }

  /**
   * Terraform forgets an object that stays on the service. Without the note, a later create would continue with it unasked.
   * @throws INVALID_SETTING
   */
  released(object: ObjectRef): void {
    this.mustChange(object, "retention", (facts) => {
      const creates = facts.creates.map((create) => ({ ...create, isSettled: true as const }));
      return { ...facts, creates, leftAt: this.timestamp(), registeredAt: undefined, nameTakenFor: undefined };
    });
  }

  /** Removes the deletions that prove nothing any more. */
  removeOld(): void {
    for (const record of recordsIn(this.place.notes).map((facts) => this.recordOf(facts))) {
      const { id, url, deletion } = record.facts;
      const object = parseObjectId(id);
      const isOld = deletion !== undefined && record.deletion === undefined;
      if (object && isOld && url === this.place.url) this.change(object, (facts) => ({ ...facts, deletion: undefined }));
    }
  }

  private recordOf(facts: Facts): ObjectRecord {
    return new ObjectRecord(facts, { ...this.place, now: this.clock.now() });
  }

  private load(object: ObjectRef): Facts {
    return read(this.place.notes, this.fileOf(object)) ?? { id: idOf(object), url: this.place.url, creates: [] };
  }

  private fileOf(object: ObjectRef): string {
    return join(RECORDS, fileName(`${this.place.url} ${idOf(object)}`));
  }

  private change(object: ObjectRef, changed: FactsChange): void {
    attempt(() => this.save(object, changed));
  }

  private mustChange(object: ObjectRef, what: "create" | "deletion" | "retention", changed: FactsChange): void {
    try {
      this.save(object, changed);
    } catch (error) {
      const isFull = ["ENOSPC", "EDQUOT"].includes(String((error as NodeJS.ErrnoException).code));
      throw new LifecycleError({
        code: "INVALID_SETTING",
        objects: [object],
        summary: `${idOf(object)}: cannot write the note of its ${what} to ${this.pathOf(object)} (${(error as Error).message}); nothing was sent`,
        remedies: [
          decide(`${isFull ? "Make room on the disk" : "Make the folder that Terraform runs in writable"} and apply again`),
        ],
        cause: error,
      });
    }
  }

  private save(object: ObjectRef, changed: FactsChange): void {
    const before = this.load(object);
    const after = changed(before, this.recordOf(before));
    const text = JSON.stringify(after);
    if (text === JSON.stringify(before)) return;
    const { creates, deletion, goneUid, leftAt, registeredAt, nameTakenFor } = after;
    // What is contested or contradicted is only said of the creates.
    const isEmpty = creates.length === 0 && !(deletion ?? goneUid ?? leftAt ?? registeredAt ?? nameTakenFor);
    if (isEmpty) this.place.notes.remove(this.fileOf(object));
    else this.place.notes.write(this.fileOf(object), `${text}\n`);
  }

  private amendDeletion(object: ObjectRef, changes: Partial<SentDeletion>): void {
    this.change(object, (facts) => ({ ...facts, deletion: facts.deletion && { ...facts.deletion, ...changes } }));
  }

  /** A look has found the object. Of several requests, it is not known which one has made it. */
  private provenIfOnly(creates: readonly SentCreate[]): readonly SentCreate[] {
    const [only, ...others] = creates;
    return only && others.length === 0 ? [{ ...only, provenAt: only.provenAt ?? this.timestamp() }] : creates;
  }

  private isOwnOpen({ workspace, isSettled }: SentCreate): boolean {
    return !isSettled && workspace === this.place.workspace;
  }

  private settled(create: SentCreate): SentCreate {
    return this.isOwnOpen(create) ? { ...create, isSettled: true } : create;
  }

  private isOfPlatform({ platform = this.place.platform }: Sender): boolean {
    return platform === this.place.platform;
  }

  private timestamp(later = 0): string {
    return new Date(this.clock.now() + later).toISOString();
  }
}

/** Whether a state may lack the object of a create, on any service. */
export function hasOpenCreates(notes: NotesFolder): boolean {
  return recordsIn(notes).some(({ creates }) => creates.some(({ isSettled }) => !isSettled));
}

function recordsIn(notes: NotesFolder): Facts[] {
  return notes.list(RECORDS).flatMap((file) => read(notes, file) ?? []);
}

function read(notes: NotesFolder, file: string): Facts | undefined {
  try {
    const text = notes.read(file);
    return text === undefined ? undefined : (JSON.parse(text) as Facts);
  } catch {
    return undefined;
  }
}

/**
 * Without what was noted about an earlier object of the name.
 * @param sent the create that has made the object. It notes the deletion before it. Another one in the record is later, and stays: a
 *   create may end after its Terraform was killed and a later run has sent a deletion. @default - the live object is later than the
 *   deletion
 */
function withoutEarlier({ deletion, goneUid, ...facts }: Facts, sent?: SentCreate): Facts {
  // The time of a deletion identifies it.
  const isDeletionLater = sent !== undefined && deletion?.at !== sent.replaces?.at;
  const kept = isDeletionLater ? { deletion, goneUid } : {};
  return { ...facts, ...kept, nameTakenFor: undefined };
}

/** A later object with the name is another one. The service may still carry out a late create. */
function withoutObject({ deletion, ...facts }: Facts, record: ObjectRecord): Facts {
  const late = facts.creates.filter((create) => record.isLate(create));
  return {
    ...facts,
    creates: late.map((create) => ({ ...create, isSettled: true })),
    deletion: deletion && { ...deletion, answer: deletion.answer === "accepted" ? "done" : deletion.answer },
    leftAt: undefined,
    registeredAt: undefined,
    contradictedIn: undefined,
  };
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
