import type { Fingerprint } from "./fingerprint";
import { ACCEPTED_GHOST_MS, GHOST_MS } from "./times";

/**
 * Who removes notes on this machine. docs/lifecycle.md says what they prove, and for how long. All ages are differences of times of
 * this machine's clock, which are never compared with times of the service.
 *
 * | note | removed by |
 * | --- | --- |
 * | creation | a refusal of the POST (restores the note before); the wait, or the orderly end of the plugin; a deletion, or a proof that the object is gone; the orphan check |
 * | settled, in place of a creation | a deletion, or a proof that the object is gone |
 * | request | its answer; the object, if no other request may have made it; the next receipt after a week |
 * | absence | a DELETE; a create or an adoption |
 * | deletion | a refusal of the DELETE (restores the note before); a create, or an adoption without doubt; the next receipt after its week |
 * | registration | a deletion |
 * | refusal | a create or an adoption; the wait, or the orderly end of the plugin, if the state has the object |
 * | receipt | the next receipt after a week |
 */
export interface Note {
  readonly id: string;
  readonly url: string;
  readonly workspace: string;
  /** The Platform whose run wrote it; missing if the writer did not know it. */
  readonly platform?: string;
  /** When it was first written, ISO 8601. */
  readonly at: string;
}

export interface CreationNote extends Note {
  /** The Terraform run that has written it, or has continued with the object since. */
  readonly run?: string;
  /** Whether another instance of that run was to create the object, too. Then no later run takes the note for a proof. */
  readonly isContested?: true;
  /** When its last request was sent, ISO 8601. */
  readonly sentAt?: string;
  /** Of a create by a hook: when it was known that the service has the object, ISO 8601. */
  readonly answeredAt?: string;
  /** The different declarations of the requests whose outcome is not known. */
  readonly declared?: readonly Fingerprint[];
  /** A digest of the last declaration, as callers compare it. */
  readonly digest?: string;
  /** What was noted when the request was sent, so the request is later: the time of the deletion, and the object that is gone. */
  readonly replaces?: { readonly at?: string; readonly uid: string };
  /** Whether a create with another declaration has begun since. It fails if the object lives. */
  readonly isContradicted?: true;
  /** Whether a later run has found the object that it replaces in the state. */
  readonly isReplacedStored?: true;
}

export interface RequestsNote extends Note {
  readonly requests: readonly UnansweredRequest[];
  /** Whether the service has answered a later request, which has made the object. */
  readonly isMadeByAnother?: true;
}

export interface UnansweredRequest {
  /** ISO 8601. */
  readonly sentAt: string;
  /** When the service does not carry it out any more, ISO 8601. */
  readonly overAt: string;
  readonly declared: Fingerprint;
}

export interface AbsenceNote extends Note {
  /** Of the object in the state. */
  readonly uid: string;
}

export interface DeletionNote extends Note {
  /** The Terraform run that sent it. */
  readonly run?: string;
  /** Of the object in the state. With hooks, it is the `id` of its resource. */
  readonly uid?: string;
  /** Whether an answer shows that the service has carried it out. */
  readonly isAnswered?: true;
  /** Whether the service carries it out later, and nothing has shown yet that it is done. */
  readonly isUnderWay?: true;
  /** Whether the answer does not show that. Without an answer, it is not known. */
  readonly isDoubtful?: true;
  /** The latest time in the conditions of the object before it was deleted, by the service's clock. */
  readonly changedAt?: string;
  /** When a list still showed the object after the DELETE, ISO 8601. */
  readonly listedAt?: string;
}

export const FOLDERS = {
  creation: "creations",
  request: "requests",
  settled: "settled",
  registration: "registrations",
  absence: "absences",
  deletion: "deletions",
  refusal: "refusals",
};
/** Notes of one Terraform workspace. */
export type Subject = "creation" | "request" | "registration";
/** Notes for all workspaces, because a destroy hook does not know its workspace. */
export type SharedSubject = "settled" | "absence" | "deletion" | "refusal";

/** The notes that the deletion guard of a Platform has found an object of the state on the service. */
export const RECEIPTS = "guards";
/** How long the note of an answered create is a proof, in milliseconds. Another machine may continue with the stack. */
export const ANSWERED_PROVES_MS = 3_600_000;
/**
 * How long other notes are a proof, in milliseconds: longer than any run of Terraform takes, and long enough to continue after a
 * weekend.
 */
export const PROVES_MS = 7 * 24 * 3_600_000;

/** How long after the DELETE, or after the last list that showed the object, an object under its name may be the deleted one. */
export function ghostMs({ isUnderWay }: DeletionNote): number {
  return isUnderWay ? ACCEPTED_GHOST_MS : GHOST_MS;
}

/** ISO 8601. */
export function doubtfulUntil(note: DeletionNote): string {
  return new Date(Date.parse(note.listedAt ?? note.at) + ghostMs(note)).toISOString();
}
