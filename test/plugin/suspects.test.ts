import { notesFolder } from "../../src/host/notes-folder";
import { Ledger } from "../../src/plugin/resources/ledger";
import { settleStored, undeclared, undeclaredElsewhere } from "../../src/plugin/resources/suspects";
import { Journal } from "../../src/lifecycle/journal";
import type { ObjectRef } from "../../src/model/object-ref";
import { Played } from "../lifecycle/played";

/** Notes of creates, as the provider keeps them. */

const prod: ObjectRef = { type: "capvs", kind: "clusters", name: "prod" };

let played: Played;
let ledger: Ledger;

beforeEach(async () => {
  played = await Played.open();
  ledger = new Ledger();
});

afterEach(() => played.close());

function journal(platform?: string, workspace = "default", url = played.simulator.url): Journal {
  const place = { notes: notesFolder(played.folder), url, workspace, platform, run: "this" };
  return new Journal(place, played.clock);
}

test("an object of another Platform or workspace is none that this one has left", () => {
  journal("eu").createSent(prod, { declared: {} });
  expect(undeclared(journal("eu"), ledger, [])).toEqual([prod]);
  expect(undeclared(journal("us"), ledger, [])).toEqual([]);
  expect(undeclared(journal("eu", "other"), ledger, [])).toEqual([]);
  expect(undeclared(journal("eu"), ledger, ["capvs/clusters/prod"])).toEqual([]);
  ledger.claim(prod, "create");
  expect(undeclared(journal("eu"), ledger, [])).toEqual([]);
});

test("an object that another Platform continues to create leaves no note for the first one", () => {
  journal("eu").createSent(prod, { declared: {} });
  ledger.recordStored(prod, { uid: "2" });
  settleStored(journal("us"), ledger);
  expect(undeclared(journal("eu"), new Ledger(), [])).toEqual([]);
});

test("the note of an answered create stays until Terraform ends the plugin", () => {
  const notes = journal("");
  notes.deletionSent(prod, "1");
  notes.createAnswered(prod, notes.createSent(prod, { declared: {} }));
  expect(undeclared(notes, new Ledger(), [])).toEqual([prod]);
  // A deletion that is noted would prove that a missing object is gone.
  expect(notes.of(prod).wasDeletionSent()).toBe(false);
  // A plan that imports the object may be discarded, and the state then lacks it.
  ledger.record(prod, {});
  settleStored(notes, ledger);
  expect(undeclared(notes, new Ledger(), [])).toEqual([prod]);
  ledger.recordStored(prod, { uid: "2" });
  settleStored(notes, ledger);
  expect(undeclared(notes, new Ledger(), [])).toEqual([]);
});

test("the note of a replacement stays while the state has the object before it", () => {
  const notes = journal("");
  notes.deletionSent(prod, "1");
  notes.createAnswered(prod, notes.createSent(prod, { declared: {}, digest: "new" }));
  ledger.recordStored(prod, { uid: "1" });
  settleStored(notes, ledger);
  expect(notes.of(prod).isReplacedBy("1", "new")).toBe(true);
  expect(notes.of(prod).isReplacedBy("1", "newer")).toBe(false);
  expect(notes.of(prod).isReplacedBy("2", "new")).toBe(false);
  expect(notes.of(prod).makers).toHaveLength(1);
  ledger.recordStored(prod, { uid: "2" });
  settleStored(notes, ledger);
  expect(notes.of(prod).makers).toEqual([]);
  // The state that has the new object may be lost.
  expect(notes.of(prod).isReplacedBy("1", "new")).toBe(true);
});

test("after a doubtful answer, the note of a deletion proves nothing, but a later create replaces the object", () => {
  const notes = journal("");
  notes.deletionSent(prod, "1");
  notes.deletionAnswered(prod, "doubtful");
  expect(notes.of(prod).wasDeletionSent("1")).toBe(false);
  expect(notes.of(prod).wasDeletionAnswered).toBe(false);
  expect(notes.hasDeleted()).toBe(false);
  notes.createSent(prod, { declared: {}, digest: "new" });
  expect(notes.of(prod).isReplacedBy("1", "new")).toBe(true);
});

test("a note counts for the URL that it names", () => {
  const [old, present] = ["https://old.example.com", "https://new.example.com"];
  journal("eu", "default", old).createSent(prod, { declared: {} });
  journal("", "default", old).deletionSent(prod, "1");
  const elsewhere = journal("eu", "default", present);
  expect(elsewhere.of(prod).makers).toEqual([]);
  expect(elsewhere.of(prod).recentDeletion()).toBeUndefined();
  expect(undeclared(elsewhere, ledger, [])).toEqual([]);
  expect(undeclaredElsewhere(elsewhere, ledger, [])).toEqual([expect.objectContaining({ object: prod, url: old })]);
  expect(undeclaredElsewhere(elsewhere, ledger, ["capvs/clusters/prod"])).toEqual([]);
  expect(undeclaredElsewhere(journal("us", "default", present), ledger, [])).toEqual([]);

  const here = journal("eu", "default", old);
  expect(undeclaredElsewhere(here, ledger, [])).toEqual([]);
  ledger.recordStored(prod, { uid: "2" });
  settleStored(here, ledger);
  expect(undeclaredElsewhere(elsewhere, new Ledger(), [])).toEqual([]);
});

test("a create that ends late removes the deletion before it, and not that of a later run", async () => {
  const notes = journal("");
  notes.deletionSent(prod, "1");
  const sent = notes.createSent(prod, { declared: {} });
  await played.clock.pause(1000, played.cancel.signal);
  notes.deletionSent(prod, "2");
  notes.createAnswered(prod, sent);
  expect(notes.of(prod).wasDeletionSent("2")).toBe(true);
  notes.createAnswered(prod, notes.createSent(prod, { declared: {} }));
  expect(notes.of(prod).wasDeletionSent()).toBe(false);
});
