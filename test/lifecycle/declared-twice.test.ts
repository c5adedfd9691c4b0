import { createObject } from "../../src/lifecycle/create";
import type { Context, Lookup } from "../../src/lifecycle/context";
import { deleteObject } from "../../src/lifecycle/delete";
import { failureOf } from "../api/service";
import { goldens } from "../goldens";
import { FREE, ofProd, Played } from "./played";

/** Two instances of one state that declare the same object, as in a stack that is the source of two modules. */

const request = ofProd;
const { object: prod, declared } = request;
const adopting = { ...request, adopt: true };
const DECLARED_TWICE = { code: "NAME_TAKEN", message: expect.stringContaining("cluster prod is declared twice") };

let played: Played;
beforeEach(async () => {
  played = await Played.open();
  played.simulator.add("providers", "capvs", { ...goldens.capvs.provider.minimal.body, identityName: "vsphere" });
});
afterEach(() => played.close());

/** The hooks or plugins of one run. */
const inRun = (run: string): Context => ({ ...played.context, journal: played.journal("default", run) });
const notOfThisStack = { code: "NAME_TAKEN", message: expect.stringMatching(/A note says that .+ does not show/) };

test("the second instance is refused, also by later runs until the state has the object of the first", async () => {
  await createObject(inRun("1"), request);
  expect(await failureOf(createObject(inRun("1"), request))).toMatchObject(DECLARED_TWICE);
  expect(await failureOf(createObject(inRun("1"), adopting))).toMatchObject(DECLARED_TWICE);
  expect(await failureOf(createObject(inRun("2"), request))).toMatchObject(notOfThisStack);
  played.journal().stored(prod);
  expect(await failureOf(createObject(inRun("3"), request))).toMatchObject({ code: "NAME_TAKEN" });
  expect(played.writes).toEqual(["POST"]);
});

test("the first instance gets its object by adoption if Terraform was killed before its state had it", async () => {
  await createObject(inRun("1"), request);
  await failureOf(createObject(inRun("1"), request));
  expect(await failureOf(createObject(inRun("2"), request))).toMatchObject({
    failure: { remedies: expect.arrayContaining([expect.objectContaining({ code: "ADOPT" })]) },
  });
  await createObject(inRun("3"), adopting);
  expect(played.writes).toEqual(["POST"]);
});

test("the second instance looks for nothing, because the run may end before the look does", async () => {
  await createObject(inRun("1"), request);
  const lists = played.simulator.requests.length;
  await failureOf(createObject(inRun("1"), request));
  expect(played.simulator.requests).toHaveLength(lists);
});

test("the second instance is refused although the state has the object of the first by now, and lists lag behind", async () => {
  await played.freezeLists();
  await createObject(inRun("1"), request);
  played.journal().stored(prod);
  expect(await failureOf(createObject(inRun("1"), request))).toMatchObject(DECLARED_TWICE);
});

test("an instance that has found the name free is refused if another one has begun since, and keeps the note of that one", async () => {
  const { client } = played.context;
  const lookup: Lookup = {
    listProviders: (options) => client.listProviders(options),
    listClusters: async (options) => {
      const before = await client.listClusters(options);
      await createObject(inRun("1"), request);
      return before;
    },
  };
  expect(await failureOf(createObject({ ...inRun("1"), lookup }, request))).toMatchObject(DECLARED_TWICE);
  expect(played.writes).toEqual(["POST"]);
  expect(played.journal().of(prod).facts).toMatchObject({ creates: [{ run: "1" }], contestedIn: "1" });
});

test("one instance continues with the object of an interrupted apply", async () => {
  played.simulator.inject({ kind: "drop", when: "after", method: "POST", times: 1 });
  await createObject(inRun("1"), request);
  await createObject(inRun("2"), request);
  expect(await failureOf(createObject(inRun("2"), request))).toMatchObject(DECLARED_TWICE);
  expect(played.writes).toEqual(["POST"]);
});

test("a refused request does not take back the note that another instance has written since", () => {
  const journal = played.journal("default", "1");
  const refused = journal.createSent(prod, { declared });
  const other = journal.createSent(prod, { declared });
  journal.createRefused(prod, refused);
  expect(journal.of(prod).makers).toEqual([other]);
  expect(journal.of(prod).isOfAnotherInstance([refused])).toBe(true);
  journal.createRefused(prod, other);
  expect(journal.of(prod).makers).toEqual([]);
});

test("a repeated request of a contested run proves nothing, and a request of a later run does", () => {
  const [first, later] = [played.journal("default", "1"), played.journal("default", "2")];
  first.createSent(prod, { declared });
  first.contest(prod);
  first.createSent(prod, { declared });
  expect(later.of(prod).makers).toEqual([]);
  later.createSent(prod, { declared });
  expect(later.of(prod).makers).not.toEqual([]);
});

test("a run may delete what it has created, and create it again", async () => {
  const context = inRun("1");
  await createObject(context, request);
  const removal = { object: prod, provider: "vsphere", uid: "1", witnesses: [] };
  await deleteObject(context, { ...removal, facts: FREE });
  await createObject(context, request);
  expect(played.writes).toEqual(["POST", "DELETE", "POST"]);
});
