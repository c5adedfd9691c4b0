import { appearing } from "../../src/lifecycle/absence";
import { Call } from "../../src/lifecycle/call";
import { createObject } from "../../src/lifecycle/create";
import { deleteObject } from "../../src/lifecycle/delete";
import { orphans } from "../../src/lifecycle/orphans";
import type { ObjectRef } from "../../src/model/object-ref";
import { failureOf } from "../api/service";
import { goldens } from "../goldens";
import { clusterBody } from "../support/capvs";
import { FREE, ofProd, Played } from "./played";

/** Lists that lag behind, and creates that a service carries out after their callers gave up. */

const request = ofProd;
const { object: prod, declared } = request;
const provider = goldens.capvs.provider.minimal.body;

let played: Played;
beforeEach(async () => {
  played = await Played.open();
  played.simulator.add("providers", "capvs", { ...provider, identityName: "vsphere" });
});
afterEach(() => played.close());

const add = () => played.simulator.add("clusters", "capvs", clusterBody("prod"));
const noted = () => played.journal().of(prod).makers.length > 0;
const clusters = () => played.simulator.clusters.map(({ name }) => name);
const removal = {
  object: prod,
  provider: "vsphere",
  uid: "1",
  witnesses: [],
  facts: FREE,
};

test("a look that takes all of the time for looks is followed by one that begins after it", async () => {
  const looks: number[] = [];
  await Call.run(played.context, [], (call) =>
    appearing(call, 10_000, 2_000, async () => {
      looks.push(call.now() - call.started);
      if (looks.length === 1) await played.clock.pause(60_000, new AbortController().signal);
      return undefined;
    }),
  );
  expect(looks).toEqual([2_000, 62_000]);
});

describe("a removal with a note that the create may still be carried out", () => {
  beforeEach(() => played.journal().createSent(prod, { declared }));

  test("keeps polling, and deletes an object that appears", async () => {
    played.clock.at(15, add);
    await deleteObject(played.context, removal);
    expect(clusters()).toEqual([]);
    expect(played.writes).toEqual(["DELETE"]);
  });

  test("ends after two minutes and leaves the note to the orphan check, which polls as long", async () => {
    await deleteObject(played.context, removal);
    expect(played.clock.seconds).toBeCloseTo(120, 0);
    expect(noted()).toBe(true);
    played.clock.at(200, add);
    expect(await orphans(played.context, [prod])).toEqual([prod]);
    expect(noted()).toBe(true);
  });

  test("is short if the create was over long ago", async () => {
    await played.clock.pause((600 + 121) * 1000, played.cancel.signal);
    const before = played.clock.seconds;
    await deleteObject(played.context, removal);
    expect(played.clock.seconds - before).toBeLessThan(11);
    expect(noted()).toBe(false);
  });
});

test("a provider whose cluster the list shows for a moment is deleted, also if a deletion may take only a second", async () => {
  const vsphere: ObjectRef = { type: "capvs", kind: "providers", name: "vsphere" };
  add();
  played.journal().deletionSent(prod, "1");
  played.clock.at(6, () => played.simulator.remove("clusters", "capvs", "prod"));
  const context = { ...played.context, times: { ...played.context.times, deleteSeconds: 1 } };
  await deleteObject(context, { ...removal, object: vsphere, provider: undefined });
  expect(played.simulator.providers).toEqual([]);
});

describe("after an answered create whose object the state may lack", () => {
  beforeEach(() => {
    played.journal().createAnswered(prod, played.journal().createSent(prod, request));
  });

  test("the note counts for an hour, because another machine may have continued with the stack", async () => {
    add();
    await played.clock.pause(3_601_000, played.cancel.signal);
    expect(await failureOf(played.create(request))).toMatchObject({ code: "NAME_TAKEN" });
  });

  test("a deletion does not poll for a late create", async () => {
    await deleteObject(played.context, removal);
    expect(played.clock.seconds).toBeLessThan(11);
  });
});

test("a request that was not carried out is repeated twice, ten seconds apart, and stays noted", async () => {
  played.simulator.inject({ kind: "drop", when: "before", method: "POST" });
  expect(await failureOf(played.create(request))).toMatchObject({ code: "OUTCOME_UNKNOWN" });
  expect(played.writes).toEqual(["POST", "POST", "POST"]);
  expect(played.clock.seconds).toBeCloseTo(20, 0);
  expect(noted()).toBe(true);
});

test("an object that the list shows with other values at first is continued with as soon as it has the declared ones", async () => {
  played.simulator.inject({ kind: "drop", when: "after", method: "POST", times: 1 });
  const growing = { clusterName: "prod", providerType: "capvs", providerConfigID: "vsphere", controlplaneNodesCount: 1 };
  const body = { items: [growing], count: 1 };
  const list = { kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters", skip: 1 } as const;
  const growth = played.simulator.inject(list);
  const error = await failureOf(played.create(request));
  expect(error).toMatchObject({ code: "NAME_TAKEN", message: expect.stringContaining("but its controlPlane.count is 1") });
  growth.cancel();
  await played.create(request);
  expect(played.writes).toEqual(["POST"]);
});

describe("if requests with different declarations may both be carried out", () => {
  const edited = { ...request, declared: { ...declared, "controlPlane.cpus": "8" } };
  beforeEach(() => void played.journal().createSent(prod, { declared }));

  test("the live object is not taken for the last one if the lists cannot distinguish them", async () => {
    played.simulator.inject({ kind: "drop", when: "after", method: "POST", times: 1 });
    const error = await failureOf(played.create(edited));
    expect(error).toMatchObject({ code: "NAME_TAKEN" });
    expect(error.message).toContain("requests with another controlPlane.cpus were also sent");
  });
});

describe("after a create whose first two requests the service may still carry out, and whose third one is answered", () => {
  const edited = { ...request, declared: { ...declared, "controlPlane.cpus": "8" }, digest: "2" };
  beforeEach(async () => {
    played.simulator.inject({ kind: "drop", when: "before", method: "POST", times: 2 });
    await played.create(request);
    played.journal().stored(prod);
  });

  test("their time ends, and only the next create polls for them", async () => {
    await deleteObject(played.context, removal);
    const secondsOf = async (act: () => Promise<void>) => {
      const before = played.clock.seconds;
      await act();
      return played.clock.seconds - before;
    };
    expect(await secondsOf(() => played.create(edited))).toBeCloseTo(10, 0);
    await deleteObject(played.context, removal);
    await played.clock.pause((600 + 121) * 1000, played.cancel.signal);
    expect(await secondsOf(() => played.create(edited))).toBeCloseTo(10, 0);
    await deleteObject(played.context, removal);
    expect(await secondsOf(() => played.create(edited))).toBeLessThan(1);
  });
});

test("an apply that finds the note of a recent create polls for ten seconds before it sends its own request", async () => {
  played.journal().createSent(prod, { declared });
  await played.freezeLists();
  add();
  played.clock.at(6, () => played.showLists());
  await played.create(request);
  expect(played.writes).toEqual([]);
  expect(played.said.join("\n")).toContain("created by an earlier apply that was interrupted");
});

describe("a create of an object that the state has had, as after 'terraform state mv'", () => {
  const edited = { ...request, declared: { ...declared, "controlPlane.cpus": "8" } };
  beforeEach(() => {
    played.journal().createSent(prod, { declared });
    played.journal().stored(prod);
  });

  test("polls for it before it sends a request, because a lost refusal would look like a lost success", async () => {
    played.simulator.inject({ kind: "drop", when: "after", method: "POST", times: 1 });
    await played.freezeLists();
    add();
    played.clock.at(6, () => played.showLists());
    const error = await failureOf(played.create(edited));
    expect(error).toMatchObject({ code: "NAME_TAKEN", message: expect.stringMatching(/A note says that .+ does not show/) });
    expect(played.writes).toEqual([]);
  });
});

describe("adoption", () => {
  test("is refused if a note says that something else was sent, and names the field", async () => {
    played.journal().createSent(prod, { declared });
    add();
    const edited = { ...request, declared: { ...declared, "controlPlane.cpus": "8" }, adopt: true };
    const error = await failureOf(played.create(edited));
    expect(error).toMatchObject({ code: "ADOPT_MISMATCH", failure: { changed: ["controlPlane.cpus"] } });
    expect(error.message).toContain("since then controlPlane.cpus changed in the code");
    expect(error.message).not.toContain("adopt capvs/clusters/prod");
    await played.create({ ...request, adopt: true });
  });

  test("is refused so, too, if the service's clock is behind, so that the object looks older than the note", async () => {
    await played.clock.pause(600_000, played.cancel.signal);
    played.journal().createSent(prod, { declared: { ...declared, "controlPlane.cpus": "8" } });
    add();
    expect(await failureOf(played.create({ ...request, adopt: true }))).toMatchObject({ code: "ADOPT_MISMATCH" });
    expect(played.writes).toEqual([]);
  });

  test.each([
    ["without a note", false],
    ["with a note of the same declaration, because another machine may have made the object,", true],
  ])("%s names the fields that the lists cannot confirm, defaults included", async (_, isNoted) => {
    if (isNoted) played.journal().createSent(prod, { declared });
    add();
    await played.create({ ...request, adopt: true });
    expect(played.said.join("\n")).toContain(
      "cluster prod: adopted; 9 fields could not be checked: controlPlane.cpus, controlPlane.group, controlPlane.roles, enableCsi, externalApiLoadBalancer, externalIngressLoadBalancer, ingress, ingressVip, services. Make sure",
    );
    expect(played.said.join("\n")).not.toMatch(/provider,|name,/);
  });

  test("names a field first that another noted request had, also if the declaration lacks it", async () => {
    played.journal().createSent(prod, { declared: { ...declared, enableCsi: "false" } });
    played.journal().createSent(prod, { declared });
    add();
    await played.create({ ...request, adopt: true });
    expect(played.said.join("\n")).toContain(
      "cluster prod: adopted; 9 fields could not be checked: enableCsi, controlPlane.cpus, ",
    );
  });

  test.each([
    ["v1.27.9", /no template of the provider vsphere offers the declared kubernetesVersion v1\.27\.9, only v1\.28\.3: make sure/],
    ["1.28.3", undefined],
    [undefined, undefined],
  ])("warns of a declared version that no template offers: %s", async (kubernetesVersion, warning) => {
    add();
    const versioned = { ...declared, ...(kubernetesVersion !== undefined && { kubernetesVersion }) };
    await played.create({ ...request, declared: versioned, adopt: true });
    const said = played.said.join("\n");
    if (warning) expect(said).toMatch(warning);
    else expect(said).not.toContain("no template");
    expect(played.writes).toEqual([]);
  });

  describe("of an object that this stack has deleted", () => {
    const adopting = { ...request, adopt: true };
    const later = () => ({ ...played.context, journal: played.journal("default", "later") });

    test("does not take it in a later run either, and advises to apply again and not to adopt", async () => {
      played.simulator.timing.provisionSeconds = 1_000;
      add();
      await deleteObject(played.context, removal);
      // A replica that lags behind for long.
      add();
      const error = await failureOf(createObject(later(), adopting));
      expect(error).toMatchObject({
        code: "NAME_TAKEN",
        message: expect.stringContaining("this stack itself has asked the service to delete cluster prod at"),
        failure: { remedies: [{ code: "APPLY", when: "object is unlisted" }] },
      });
      await played.clock.pause(300_000, played.cancel.signal);
      await createObject(later(), adopting);
      expect(played.writes).toEqual(["DELETE"]);
    });

    test("takes another object of the name if its conditions are later than those of the deleted one", async () => {
      add();
      await deleteObject(played.context, removal);
      await new Promise((resolve) => setTimeout(resolve, 5));
      add();
      await createObject(later(), adopting);
      expect(played.writes).toEqual(["DELETE"]);
    });
  });
});

describe("an absence proves nothing on a service without any object of the stack", () => {
  const vsphere: ObjectRef = { type: "capvs", kind: "providers", name: "vsphere" };
  const other: ObjectRef = { type: "capvs", kind: "clusters", name: "other" };
  const refused = { code: "OBJECT_MISSING", message: expect.stringContaining("Is it the right one? Nothing was sent") };
  const attempt = (changes: object = {}) => deleteObject(played.context, { ...removal, ...changes });
  beforeEach(() => played.simulator.remove("providers", "capvs", "vsphere"));

  test("and the missing object stays in the state", async () => {
    expect(await failureOf(attempt())).toMatchObject(refused);
    expect(await failureOf(attempt({ witnesses: [vsphere, other, prod] }))).toMatchObject(refused);
  });

  test("unless an earlier run sent a DELETE for it, until the stack has the name again", async () => {
    played.journal("default", "earlier").deletionSent(prod, removal.uid);
    await attempt();
    expect(played.clock.seconds).toBe(10);
    played.journal().adopted(prod, false);
    expect(await failureOf(attempt())).toMatchObject(refused);
  });

  test("unless that was more than a week ago", async () => {
    played.journal("default", "earlier").deletionSent(prod, removal.uid);
    await played.clock.pause(7 * 24 * 3_600_000, played.cancel.signal);
    expect(await failureOf(attempt())).toMatchObject(refused);
  });

  test.each([
    ["refused", 403, "FORBIDDEN"],
    ["answered with the page of a proxy", 404, "DELETE_TIMEOUT"],
  ])("and a DELETE that was %s proves nothing either", async (_, status, code) => {
    add();
    played.simulator.inject({ kind: "status", status, method: "DELETE" });
    expect(await failureOf(attempt())).toMatchObject({ code });
    played.simulator.remove("clusters", "capvs", "prod");
    expect(await failureOf(attempt())).toMatchObject(refused);
  });

  test("unless the first attempt of a refused DELETE was lost, because the service may have carried it out", async () => {
    add();
    played.simulator.inject({ kind: "drop", method: "DELETE", times: 1 });
    played.simulator.inject({ kind: "status", status: 403, method: "DELETE", times: 1 });
    expect(await failureOf(attempt())).toMatchObject({ code: "FORBIDDEN" });
    played.simulator.remove("clusters", "capvs", "prod");
    await attempt();
  });

  test("unless this run has sent a DELETE there, and not an earlier one", async () => {
    played.journal("default", "earlier").deletionSent(other, removal.uid);
    expect(await failureOf(attempt())).toMatchObject(refused);
    played.simulator.add("clusters", "capvs", clusterBody("other"));
    await deleteObject(played.context, { ...removal, object: other });
    await attempt();
  });
});

test("a create that sent nothing because the name was taken is noted until the stack has the object or sends a request", async () => {
  add();
  expect(await failureOf(played.create(request))).toMatchObject({ code: "NAME_TAKEN" });
  expect(played.journal().of(prod).wasNameTaken).toBe(true);
  expect(await orphans(played.context, [prod])).toEqual([prod]);
  await played.create({ ...request, adopt: true });
  expect(played.journal().of(prod).wasNameTaken).toBe(false);
});

test("a refused repetition keeps the note of the first request, which may still be carried out", async () => {
  played.simulator.inject({ kind: "drop", when: "before", method: "POST", times: 1 });
  played.simulator.inject({ kind: "status", status: 400, method: "POST", times: 1 });
  expect(await failureOf(played.create(request))).toMatchObject({ code: "REJECTED" });
  expect(played.writes).toEqual(["POST", "POST"]);
  expect(noted()).toBe(true);
});

test.each([408, 503, 504])("a create that is answered %i may have been carried out", async (status) => {
  played.simulator.inject({ kind: "status", status, when: "after", method: "POST", times: 1 });
  await played.freezeLists();
  played.clock.at(9, () => played.showLists());
  await played.create(request);
  expect(played.writes).toEqual(["POST"]);
});
