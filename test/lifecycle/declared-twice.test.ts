import { create } from "../../src/lifecycle/create";
import type { Context, Lookup } from "../../src/lifecycle/context";
import { remove } from "../../src/lifecycle/delete";
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
const notOfThisStack = { code: "NAME_TAKEN", message: expect.stringContaining("another instance of that apply declared it") };

test("the second instance is refused, also by later runs until the state has the object of the first", async () => {
  await create(inRun("1"), request);
  expect(await failureOf(create(inRun("1"), request))).toMatchObject(DECLARED_TWICE);
  expect(await failureOf(create(inRun("1"), adopting))).toMatchObject(DECLARED_TWICE);
  expect(await failureOf(create(inRun("2"), request))).toMatchObject(notOfThisStack);
  played.journal().settleCreation(prod);
  expect(await failureOf(create(inRun("3"), request))).toMatchObject({ code: "NAME_TAKEN" });
  expect(played.writes).toEqual(["POST"]);
});

test("the first instance gets its object by adoption if Terraform was killed before its state had it", async () => {
  await create(inRun("1"), request);
  await failureOf(create(inRun("1"), request));
  expect(await failureOf(create(inRun("2"), request))).toMatchObject({
    failure: { remedies: expect.arrayContaining([expect.objectContaining({ code: "ADOPT" })]) },
  });
  await create(inRun("3"), adopting);
  expect(played.writes).toEqual(["POST"]);
});

test("the second instance looks for nothing, because the run may end before the look does", async () => {
  await create(inRun("1"), request);
  const lists = played.simulator.requests.length;
  await failureOf(create(inRun("1"), request));
  expect(played.simulator.requests).toHaveLength(lists);
});

test("the second instance is refused although the state has the object of the first by now, and lists lag behind", async () => {
  await played.freezeLists();
  await create(inRun("1"), request);
  played.journal().settleCreation(prod);
  expect(await failureOf(create(inRun("1"), request))).toMatchObject(DECLARED_TWICE);
});

test("an instance that has found the name free is refused if another one has begun since, and keeps the note of that one", async () => {
  const { client } = played.context;
  const lookup: Lookup = {
    listProviders: (options) => client.listProviders(options),
    listClusters: async (options) => {
      const before = await client.listClusters(options);
      await create(inRun("1"), request);
      return before;
    },
  };
  expect(await failureOf(create({ ...inRun("1"), lookup }, request))).toMatchObject(DECLARED_TWICE);
  expect(played.writes).toEqual(["POST"]);
  expect(played.journal().creationOf(prod)).toMatchObject({ run: "1", isContested: true });
});

test("one instance continues with the object of an interrupted apply", async () => {
  played.simulator.inject({ kind: "drop", when: "after", method: "POST", times: 1 });
  await create(inRun("1"), request);
  await create(inRun("2"), request);
  expect(await failureOf(create(inRun("2"), request))).toMatchObject(DECLARED_TWICE);
  expect(played.writes).toEqual(["POST"]);
});

test("a refused request does not take back the note that another instance has written since", async () => {
  const journal = played.journal("default", "1");
  const refused = journal.writeCreation(prod, { declared });
  await played.clock.pause(1, played.cancel.signal);
  const other = journal.writeCreation(prod, { declared });
  journal.takeBackCreation(prod, refused, undefined);
  expect(journal.creationOf(prod)).toEqual(other);
  expect(journal.creationOfAnother(prod, refused)).toEqual(other);
  journal.takeBackCreation(prod, other, undefined);
  expect(journal.creationOf(prod)).toBeUndefined();
});

test("a repeated request keeps the mark of the refusal, and a request of a later run does not", async () => {
  const [first, later] = [played.journal("default", "1"), played.journal("default", "2")];
  const before = first.writeCreation(prod, { declared });
  first.contest(prod);
  expect(first.writeCreation(prod, { declared }, before)).toMatchObject({ isContested: true });
  expect(later.writeCreation(prod, { declared }, before)).not.toHaveProperty("isContested");
});

test("a run may delete what it has created, and create it again", async () => {
  const context = inRun("1");
  await create(context, request);
  const removal = { object: prod, provider: "vsphere", uid: "1", witnesses: [], serviceSeen: false };
  await remove(context, { ...removal, facts: FREE });
  await create(context, request);
  expect(played.writes).toEqual(["POST", "DELETE", "POST"]);
});
