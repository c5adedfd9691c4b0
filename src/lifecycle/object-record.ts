import type { DeletionAnswer } from "../api/client";
import type { Fingerprint } from "./fingerprint";
import { ACCEPTED_GHOST_MS, GHOST_MS } from "./times";

/** How long a create that has made the object is a proof, in milliseconds. Another machine may continue with the stack. */
const PROVEN_PROVES_MS = 3_600_000;
/** How long other requests are a proof: longer than any run of Terraform takes, and long enough to continue after a weekend. */
const PROVES_MS = 7 * 24 * 3_600_000;

/**
 * What this machine has asked a service about one object. test/world/README.md says what each fact proves, and for how long. All
 * times are ISO 8601 and of this machine's clock, and are never compared with times of the service.
 */
export interface Facts {
  /** `type/kind/name` */
  readonly id: string;
  readonly url: string;
  /** From the first to the last. A refused one is removed. */
  readonly creates: readonly SentCreate[];
  /** The last one. It goes when a later create has made the object, and after a week. */
  readonly deletion?: SentDeletion;
  /** The uid that the state had for an object that was found gone. It goes when a later create has made the object. */
  readonly goneUid?: string;
  /** When `retain` has left the object on the service, also one that another machine has created. */
  readonly leftAt?: string;
  /** When the provider was registered, if it is perhaps not ready. */
  readonly registeredAt?: string;
  /** Who has sent nothing, because the name was taken. */
  readonly nameTakenFor?: Sender;
  /** The last run in which two instances declared the object. Its creates do not show which of them has it. */
  readonly contestedIn?: string;
  /** The workspace in which a create with another declaration than the noted ones has begun and has perhaps not ended. */
  readonly contradictedIn?: string;
}

export interface Sender {
  /** Empty if unknown: a destroy hook does not know it. Workspaces share a folder and no state, so they have different objects. */
  readonly workspace: string;
  /** Name of the Platform; empty if it has none. Undefined if it is unknown. */
  readonly platform?: string;
}

export interface SentCreate extends Sender {
  /** The run that has sent it, or has continued with its object since. */
  readonly run: string;
  readonly sentAt: string;
  /** When the service does not carry it out any more. */
  readonly overAt: string;
  readonly declared: Fingerprint;
  /** Of the declaration, as callers compare it. */
  readonly digest?: string;
  /** When an answer, or a look that finds the object, has shown that it has made the object. */
  readonly provenAt?: string;
  /** The object that was deleted or gone before, and the time of that deletion. */
  readonly replaces?: { readonly uid: string; readonly at?: string };
  /** Whether a later run has found the object that it replaces in the state. */
  readonly isReplacedStored?: true;
  /** Whether the object has been in the state since, or was deleted or left. The create does not prove whose the live object is. */
  readonly isSettled?: true;
}

export interface SentDeletion {
  readonly at: string;
  readonly run: string;
  /** Of the object in the state. With hooks, it is the `id` of its resource. */
  readonly uid: string;
  /** `accepted` until a list lacks the object. A doubtful answer may come from a proxy. */
  readonly answer?: DeletionAnswer;
  /** The latest time in the conditions of the object before, by the service's clock. */
  readonly changedAt?: string;
  /** When a list last showed the object. */
  readonly listedAt?: string;
}

/** Answers questions of the facts about one object, as a run of Terraform reads them at one moment. */
export class ObjectRecord {
  constructor(
    readonly facts: Facts,
    private readonly reader: { readonly workspace: string; readonly run: string; readonly now: number },
  ) {}

  /** The creates of this workspace that may have made the live object. Empty if none proves that the object is the stack's. */
  get makers(): readonly SentCreate[] {
    const proofs = this.own.filter((create) => !create.isSettled && this.isProof(create));
    // Then each noted one may have made it: a settled one was kept because it was late when the last one was sent.
    const isUnanswered = proofs.length > 0 && proofs.every(({ provenAt }) => provenAt === undefined);
    return isUnanswered ? this.own : proofs;
  }

  /** Whether the service may still carry out the create. */
  isLate({ sentAt, overAt, provenAt }: SentCreate): boolean {
    return provenAt === undefined && this.isWithin(sentAt, Date.parse(overAt) - Date.parse(sentAt));
  }

  /** Those of this workspace. */
  get late(): readonly SentCreate[] {
    return this.own.filter((create) => this.isLate(create));
  }

  /** Whether the service may still carry out a create of any workspace. */
  get mayStillBeCreated(): boolean {
    return this.facts.creates.some((create) => this.isLate(create));
  }

  /** Whether a create may have left the object: no later run has found it in its state, or gone. */
  get mayHaveCreated(): boolean {
    return this.facts.creates.some(({ isSettled }) => !isSettled);
  }

  /**
   * Whether this run has created the object or continued with it, for another instance than the one that asks. Terraform creates each
   * instance once in a run.
   * @param sent by the instance that asks
   */
  isOfAnotherInstance(sent: readonly SentCreate[] = []): boolean {
    return this.own.some((create) => create.run === this.reader.run && !sent.some((each) => isSameCreate(each, create)));
  }

  /** Whether the state may have a declaration of the object that no request has sent. */
  get isContradicted(): boolean {
    return this.facts.contradictedIn === this.reader.workspace;
  }

  /** Whether the object under the name is probably somebody else's. It is the stack's if its instance was tainted by hand. */
  get wasNameTaken(): boolean {
    return this.facts.nameTakenFor !== undefined && !this.mayHaveCreated;
  }

  /**
   * Whether an apply has deleted the object with this uid, or found it gone, and has sent another create since. That object never
   * comes back, so an old create shows this as well.
   */
  hasReplaced(uid: string): boolean {
    return this.facts.creates.some((create) => this.replaces(create, uid));
  }

  /** Whether the live object has replaced the one with this uid, and has the declaration with this digest. An old create proves neither. */
  isReplacedBy(uid: string, digest: string): boolean {
    const { creates } = this.facts;
    const answered = creates.findLast(({ provenAt }) => provenAt !== undefined);
    const makers = answered ? [answered] : creates;
    const isOfDigest = makers.every((maker) => maker.digest === digest && this.isProof(maker));
    return isOfDigest && makers.some((maker) => this.replaces(maker, uid));
  }

  private replaces({ replaces }: SentCreate, uid: string): boolean {
    const { deletion } = this.facts;
    return replaces?.uid === uid && (deletion === undefined || replaces.at === deletion.at);
  }

  /** The deletion that is still a proof. */
  get deletion(): SentDeletion | undefined {
    const { deletion } = this.facts;
    return deletion && this.isWithin(deletion.at, PROVES_MS) ? deletion : undefined;
  }

  /**
   * Whether this machine has sent a DELETE for the object.
   * @param uid of the object in the state, if the caller knows it. A DELETE for another uid does not count, because another machine
   * may have created the object again. Nor does a doubtful answer.
   */
  wasDeletionSent(uid?: string): boolean {
    const { deletion } = this;
    return deletion !== undefined && (uid === undefined || (deletion.uid === uid && deletion.answer !== "doubtful"));
  }

  /** Whether the service has answered a DELETE of this run. After an earlier run, another machine may have created the object again. */
  get wasDeletionAnswered(): boolean {
    const { answer, run } = this.deletion ?? {};
    return answer !== undefined && answer !== "doubtful" && run === this.reader.run;
  }

  /**
   * A deletion of a few minutes ago. Some lists may still show the deleted object, so an object under the name must not be adopted or
   * continued with.
   * @param uid of the object in the state. @default - any
   */
  recentDeletion(uid?: string): SentDeletion | undefined {
    const { deletion } = this;
    if (!deletion || (uid !== undefined && deletion.uid !== uid)) return undefined;
    return this.isWithin(deletion.listedAt ?? deletion.at, ghostMs(deletion)) ? deletion : undefined;
  }

  private get own(): readonly SentCreate[] {
    return this.facts.creates.filter(({ workspace }) => workspace === this.reader.workspace);
  }

  private isProof({ run, sentAt, provenAt }: SentCreate): boolean {
    if (run === this.facts.contestedIn) return false;
    return provenAt === undefined ? this.isWithin(sentAt, PROVES_MS) : this.isWithin(provenAt, PROVEN_PROVES_MS);
  }

  /** A time in the future is as doubtful as one in the past: the clock was set. */
  private isWithin(at: string, milliseconds: number): boolean {
    return Math.abs(this.reader.now - Date.parse(at)) < milliseconds;
  }
}

/** The salt of a fingerprint is different in each create. */
export function isSameCreate(one: SentCreate, other: SentCreate): boolean {
  return one.declared.salt === other.declared.salt;
}

/** Whether the last of the creates was sent after the deletion. */
export function isAfter(creates: readonly SentCreate[], deletion: SentDeletion): boolean {
  return creates.at(-1)?.replaces?.at === deletion.at;
}

/** How long after the DELETE, or after the last list that showed the object, an object under its name may be the deleted one. */
export function ghostMs({ answer }: SentDeletion): number {
  return answer === "accepted" ? ACCEPTED_GHOST_MS : GHOST_MS;
}

/** ISO 8601. */
export function doubtfulUntil(deletion: SentDeletion): string {
  return new Date(Date.parse(deletion.listedAt ?? deletion.at) + ghostMs(deletion)).toISOString();
}
