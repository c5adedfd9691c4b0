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
  journal("eu").writeCreation(prod, { declared: {} });
  expect(undeclared(journal("eu"), ledger, [])).toEqual([prod]);
  expect(undeclared(journal("us"), ledger, [])).toEqual([]);
  expect(undeclared(journal("eu", "other"), ledger, [])).toEqual([]);
  expect(undeclared(journal("eu"), ledger, ["capvs/clusters/prod"])).toEqual([]);
  ledger.claim(prod, "create");
  expect(undeclared(journal("eu"), ledger, [])).toEqual([]);
});

test("a create whose note cannot be written leaves no note of its request", () => {
  const folder = notesFolder(played.folder);
  const write = (file: string, text: string) => {
    if (file.startsWith("creations/")) throw new Error("the disk is full");
    folder.write(file, text);
  };
  const place = { notes: { ...folder, write }, url: played.simulator.url, workspace: "default", run: "this" };
  const notes = new Journal(place, played.clock);
  expect(() => notes.writeCreation(prod, { declared: {} })).toThrow("the disk is full");
  expect(notes.mayStillBeCreated(prod)).toBe(false);
});

test("an object that another Platform continues to create leaves no note for the first one", () => {
  journal("eu").writeCreation(prod, { declared: {} });
  ledger.stored(prod, { uid: "2" });
  settleStored(journal("us"), ledger);
  expect(undeclared(journal("eu"), new Ledger(), [])).toEqual([]);
});

test("the note of an answered create stays until Terraform ends the plugin", () => {
  const notes = journal("");
  notes.writeDeletion(prod, "1");
  notes.writeCreation(prod, { declared: {} });
  notes.forgetDeletion(prod);
  expect(notes.creations()).toEqual([prod]);
  // A deletion that is noted would prove that a missing object is gone.
  expect(notes.wasDeletionSent(prod)).toBe(false);
  // A plan that imports the object may be discarded, and the state then lacks it.
  ledger.record(prod, {});
  settleStored(notes, ledger);
  expect(notes.creations()).toEqual([prod]);
  ledger.stored(prod, { uid: "2" });
  settleStored(notes, ledger);
  expect(notes.creations()).toEqual([]);
});

test("the note of a replacement stays while the state has the object before it", () => {
  const notes = journal("");
  notes.writeDeletion(prod, "1");
  notes.writeCreation(prod, { declared: {}, digest: "new" });
  notes.forgetDeletion(prod);
  ledger.stored(prod, { uid: "1" });
  settleStored(notes, ledger);
  expect(notes.wasReplaced(prod, "1", "new")).toBe(true);
  expect(notes.wasReplaced(prod, "1", "newer")).toBe(false);
  expect(notes.wasReplaced(prod, "2", "new")).toBe(false);
  expect(notes.creationOf(prod)).toBeDefined();
  ledger.stored(prod, { uid: "2" });
  settleStored(notes, ledger);
  expect(notes.creationOf(prod)).toBeUndefined();
  // The state that has the new object may be lost.
  expect(notes.wasReplaced(prod, "1", "new")).toBe(true);
});

test("after a doubtful answer, the note of a deletion proves nothing, but a later create replaces the object", () => {
  const notes = journal("");
  notes.writeDeletion(prod, "1");
  notes.doubtDeletion(prod);
  expect(notes.wasDeletionSent(prod, "1")).toBe(false);
  expect(notes.wasDeletionAnswered(prod)).toBe(false);
  expect(notes.hasDeleted()).toBe(false);
  notes.writeCreation(prod, { declared: {}, digest: "new" });
  expect(notes.wasReplaced(prod, "1", "new")).toBe(true);
});

test("a note counts for the URL that it names", () => {
  const [old, present] = ["https://old.example.com", "https://new.example.com"];
  journal("eu", "default", old).writeCreation(prod, { declared: {} });
  journal("", "default", old).writeDeletion(prod, "1");
  const elsewhere = journal("eu", "default", present);
  expect(elsewhere.creationOf(prod)).toBeUndefined();
  expect(elsewhere.recentDeletion(prod)).toBeUndefined();
  expect(undeclared(elsewhere, ledger, [])).toEqual([]);
  expect(undeclaredElsewhere(elsewhere, ledger, [])).toEqual([{ object: prod, url: old }]);
  expect(undeclaredElsewhere(elsewhere, ledger, ["capvs/clusters/prod"])).toEqual([]);
  expect(undeclaredElsewhere(journal("us", "default", present), ledger, [])).toEqual([]);

  const here = journal("eu", "default", old);
  expect(undeclaredElsewhere(here, ledger, [])).toEqual([]);
  ledger.stored(prod, { uid: "2" });
  settleStored(here, ledger);
  expect(undeclaredElsewhere(elsewhere, new Ledger(), [])).toEqual([]);
});

test("a create that ends late removes what was noted before it, and not what a later run has noted", async () => {
  const notes = journal("");
  notes.writeDeletion(prod, "1");
  const forgetEarlier = notes.earlierObject(prod);
  await played.clock.pause(1000, played.cancel.signal);
  notes.writeDeletion(prod, "2");
  forgetEarlier();
  expect(notes.wasDeletionSent(prod, "2")).toBe(true);
  notes.earlierObject(prod)();
  expect(notes.wasDeletionSent(prod)).toBe(false);
});
