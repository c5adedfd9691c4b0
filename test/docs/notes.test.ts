import { readFileSync } from "node:fs";
import { Journal, RECORDS } from "../../src/lifecycle/journal";
import { GHOST_MS, LATE_MS, MISSING_MS, SETTLING_INVALID_MS, SETTLING_MS } from "../../src/lifecycle/times";
import { systemClock } from "../../src/util/clock";
import type { ObjectRef } from "../../src/model/object-ref";
import { table } from "../support/docs-table";

/** The table of test/world/README.md that says what notes prove, and for how long. */
const ROWS = table("test/world/README.md", "| folder | the file says | what it proves | for how long |");

const SECOND = 1000;
const UNITS: Readonly<Record<string, number>> = {
  second: SECOND,
  minute: 60 * SECOND,
  hour: 3600 * SECOND,
  week: 7 * 24 * 3600 * SECOND,
};
const NUMBERS: Readonly<Record<string, number>> = { a: 1, an: 1, two: 2 };

/** The times in a text, in milliseconds. */
const timesIn = (text: string) =>
  [...text.matchAll(/\b(an?|two|\d+) (second|minute|hour|week)s?\b/g)].map(
    ([, number, unit]) => (NUMBERS[number!] ?? Number(number)) * UNITS[unit!]!,
  );

const prod: ObjectRef = { type: "capvs", kind: "clusters", name: "prod" };
const DIGEST = "d1";
const CREATE_SECONDS = 60;

/** How long the notes that `write` leaves are a proof, in milliseconds. */
function lasts(write: (journal: Journal, later: (milliseconds: number) => void) => void, proves: (journal: Journal) => boolean) {
  const files = new Map<string, string>();
  const notes = {
    path: "notes",
    read: (file: string) => files.get(file),
    write: (file: string, text: string) => void files.set(file, text),
    remove: (file: string) => void files.delete(file),
    list: (folder: string) => [...files.keys()].filter((file) => file.startsWith(`${folder}/`)),
  };
  let now = Date.parse("2026-01-01T00:00:00Z");
  const journal = new Journal(
    { notes, url: "https://service", workspace: "default", run: "1" },
    { ...systemClock, now: () => now },
  );
  write(journal, (milliseconds) => (now += milliseconds));
  const written = now;
  const isProof = (age: number) => {
    now = written + age;
    return proves(journal);
  };
  let [proof, none] = [0, 100 * UNITS.week!];
  expect([isProof(proof), isProof(none)]).toEqual([true, false]);
  while (none - proof > 1) {
    const middle = Math.floor((proof + none) / 2);
    if (isProof(middle)) proof = middle;
    else none = middle;
  }
  return none;
}

const creates = (journal: Journal) => journal.createSent(prod, { declared: {}, digest: DIGEST }, CREATE_SECONDS);
const createsAnswered = (journal: Journal) => journal.createAnswered(prod, creates(journal));
const replaces = (journal: Journal) => {
  journal.foundGone(prod, "u1");
  return creates(journal);
};
const replacesAnswered = (journal: Journal) => journal.createAnswered(prod, replaces(journal));
const deletes = (journal: Journal) => void journal.deletionSent(prod, "u1");
const isGhost = (journal: Journal) => journal.of(prod).recentDeletion("u1") !== undefined;
const isCreation = (journal: Journal) => journal.of(prod).makers.length > 0;
const hasReplaced = (journal: Journal) => journal.of(prod).isReplacedBy("u1", DIGEST);

/** The times in the order of the table, as the code has them. */
const times = (): readonly number[] => [
  lasts(creates, isCreation),
  lasts(createsAnswered, isCreation),
  lasts(replaces, hasReplaced),
  lasts(replacesAnswered, hasReplaced),
  lasts(creates, (journal) => journal.of(prod).mayStillBeCreated) - CREATE_SECONDS * SECOND,
  lasts(deletes, (journal) => journal.of(prod).wasDeletionSent("u1")),
  // How long `ready` waits at least.
  GHOST_MS,
  lasts((journal, later) => {
    deletes(journal);
    later(UNITS.minute!);
    journal.stillListed(prod);
  }, isGhost),
  lasts((journal) => {
    deletes(journal);
    journal.deletionAnswered(prod, "accepted");
  }, isGhost),
  SETTLING_MS,
  SETTLING_INVALID_MS,
];

test("the table of notes has each folder", () => {
  expect([...new Set(ROWS.map(([folder]) => folder))]).toEqual([RECORDS]);
});

test("the times of the notes are those of the code", () => {
  expect(ROWS.flatMap(([, , proves, until]) => timesIn(`${proves} | ${until}`))).toEqual(times());
});

test("the text on when an object counts as gone has the times of the code", () => {
  const [, text] = /^### When an object counts as gone\n([^]*?)^#/m.exec(readFileSync("docs/lifecycle.md", "utf8"))!;
  expect(new Set(timesIn(text!))).toEqual(new Set([MISSING_MS, LATE_MS]));
});
