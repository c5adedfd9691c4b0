import { createObject } from "../../src/lifecycle/create";
import { notesFolder } from "../../src/host/notes-folder";
import { Journal } from "../../src/lifecycle/journal";
import { systemClock } from "../../src/util/clock";
import { failureOf } from "../api/service";
import { goldens } from "../goldens";
import { clusterBody } from "../support/capvs";
import { ofProd, Played } from "./played";

/** What later runs learn from notes, if Terraform is killed before its state has what a create has done. */

const { object: prod } = ofProd;
const adopting = { ...ofProd, adopt: true };

let played: Played;
beforeEach(async () => {
  played = await Played.open();
  played.simulator.add("providers", "capvs", { ...goldens.capvs.provider.minimal.body, identityName: "vsphere" });
});
afterEach(() => played.close());

test("an object that retain has left is refused until it is adopted, although this stack has asked for it without an answer", async () => {
  played.journal().createSent(prod, ofProd);
  played.journal().released(prod);
  played.simulator.add("clusters", "capvs", clusterBody("prod"));
  expect(await failureOf(played.create(ofProd))).toMatchObject({ code: "NAME_TAKEN" });
  await played.create(adopting);
});

test("a refused create says in which workspace of the folder a create of the object was sent", async () => {
  const other = played.journal().at({ workspace: "other", platform: "" });
  other.createSent(prod, ofProd);
  other.stored(prod);
  played.simulator.add("clusters", "capvs", clusterBody("prod"));
  expect(await failureOf(played.create(ofProd))).toMatchObject({
    code: "NAME_TAKEN",
    message: expect.stringContaining(", in the workspace other. That does not show that it is still this stack's"),
  });
});

test.each([
  ["ENOSPC", "Make room on the disk and apply again"],
  ["EACCES", "Make the folder that Terraform runs in writable and apply again"],
])("a create that cannot write its note because of %s says what to do", (code, remedy) => {
  const notes = {
    ...notesFolder(played.folder),
    write: () => {
      throw Object.assign(new Error(code), { code });
    },
  };
  const journal = new Journal({ notes, url: "https://platform.example.com", workspace: "default", run: "1" }, systemClock);
  expect(() => journal.createSent(prod, ofProd)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ remedies: [{ code: "DECIDE", sentence: remedy }] }) }),
  );
});

describe("a create that is refused because a request with another declaration was sent", () => {
  beforeEach(() => {
    played.journal().createSent(prod, { ...ofProd, declared: { ...ofProd.declared, "controlPlane.cpus": "8" } });
    played.simulator.add("clusters", "capvs", clusterBody("prod"));
  });

  test.each([
    ["removes its mark, because Terraform marks the instance as tainted", undefined],
    ["leaves its mark if Terraform is gone, which has perhaps recorded the declaration", "Terraform is gone"],
  ])("%s", async (_, interruptedBy) => {
    const cancellation = { ...played.context.cancellation, interruptedBy };
    const context = { ...played.context, journal: played.journal("default", "later"), cancellation };
    expect(await failureOf(createObject(context, ofProd))).toMatchObject({ code: "NAME_TAKEN" });
    expect(played.journal().of(prod).isContradicted).toBe(interruptedBy !== undefined);
  });
});
