import { RECORDS } from "../../src/lifecycle/journal";
import type { Facts } from "../../src/lifecycle/object-record";
import type { Judged } from "./judge";
import { serviceAt } from "./programs";
import { aboutObject, isRefusal, type SeenRequest, type Service } from "./service";
import type { Outcome } from "./terraform/terraform";

/**
 * The rules that need what a computer notes of its creates. A note is a proof that a live object is the stack's, so what a note
 * says too much is found before an object is lost. No other rule reads notes.
 */
export class CreateNotes {
  /** Objects for which a computer has sent a create that it cannot tell from one of somebody else. */
  readonly #mayBeOurs = new Set<string>();
  /** Objects that a stopped run has written, so that its notes may be left. */
  readonly #leftByStopped = new Set<string>();
  /** The creates that it has noted and perhaps not sent, by computer and object: how many requests the service had got by then. */
  readonly #unsent = new Map<string, readonly number[]>();
  /** Times of the notes of creates, by computer and object. A note that is only amended has the time of an earlier one. */
  readonly #noted = new Map<string, Set<string>>();

  constructor(
    private readonly service: Service,
    private readonly violated: (rule: string, text: string) => void,
  ) {}

  /** When a note is written. Most of them do not outlive their run. */
  noted(text: string, computer: string): void {
    const { id, creates = [] } = JSON.parse(text) as Partial<Facts>;
    if (id === undefined) return;
    const notes = notesAbout(aboutObject(id), computer);
    let times = this.#noted.get(notes);
    if (!times) this.#noted.set(notes, (times = new Set()));
    for (const { sentAt } of creates) {
      if (!times.has(sentAt)) this.#unsent.set(notes, [...(this.#unsent.get(notes) ?? []), this.service.requests.length]);
      times.add(sentAt);
    }
  }

  /**
   * When the service has got a POST or a DELETE.
   * @param index of the request
   * @param isOfEarlierRun whether it comes from a run that was stopped
   */
  wrote({ method, about, status }: SeenRequest, index: number, computer: string, isOfEarlierRun: boolean): void {
    if (isOfEarlierRun) this.#leftByStopped.add(about);
    const notes = notesAbout(about, computer);
    const unsent = this.#unsent.get(notes) ?? [];
    const sent = unsent.filter((since) => since <= index);
    if (method === "POST") {
      if (sent.length > 0) this.#unsent.set(notes, unsent.slice(1));
      if (!isRefusal(status)) this.#mayBeOurs.add(notes);
    } else if (status !== undefined && status < 300) {
      this.#unsent.set(notes, unsent.slice(sent.length));
      this.#mayBeOurs.delete(notes);
    }
  }

  mayHaveCreated(about: string, { computer }: Judged): boolean {
    const notes = notesAbout(about, computer);
    return this.#mayBeOurs.has(notes) || (this.#unsent.get(notes) ?? []).length > 0;
  }

  /**
   * Rule 2: a note of a create ends with a refusal and with a deletion.
   * @param written the last write about each object
   * @param hadCompany whether two runs have written one state at once
   */
  after(run: Judged, { ok, wasKilled }: Outcome, written: ReadonlyMap<string, SeenRequest>, hadCompany: boolean): void {
    const own = [...written].filter(([, { by }]) => by.run === run.number);
    if (wasKilled || run.step.stop || run.step.folder) {
      // It may end before it has removed a note, or cannot remove one.
      for (const [about, { method }] of own) {
        this.#leftByStopped.add(about);
        // Such a note does not tell of the answer.
        if (method === "POST" && hasNote(run, about)) this.#mayBeOurs.add(notesAbout(about, run.computer));
      }
      return;
    }
    if (hadCompany) return;
    for (const [about, { method, status }] of own) {
      if (this.#leftByStopped.has(about)) continue;
      // The run fails if lists still show the object.
      const isOver = method === "DELETE" ? ok && status !== undefined && status < 300 : isRefusal(status);
      if (isOver && !this.mayHaveCreated(about, run) && hasNote(run, about))
        this.violated(`2 the note of a create stays after its ${method === "DELETE" ? "deletion" : "refusal"}`, about);
    }
  }
}

/** What a computer may have notes about. A deletion ends those of its own computer only. */
function notesAbout(about: string, computer: string): string {
  return `${about} on ${computer}`;
}

/** Whether the computer has by now the note of a create of the object on the first service, about a URL of the run. */
function hasNote({ files, urls }: Judged, about: string): boolean {
  const records = [...files].flatMap(([path, text]) => (path.startsWith(`${RECORDS}/`) ? [JSON.parse(text) as Facts] : []));
  const open = records.filter(({ creates }) => creates.some(({ isSettled }) => !isSettled));
  return open.some(({ id, url }) => aboutObject(id) === about && urls.includes(url) && serviceAt(url) === 0);
}
