import { planDocument, type PlanDocument, reviewDocument } from "./plans";

/** What a plan says around a change, by plans of the real Terraform that are edited to say something else. */

const plan = (name: string) => planDocument("terraform_data", name);
const changeOf = ({ resource_changes: changes }: PlanDocument, object: string) =>
  changes.find(({ name, index }) => `${name}/${index}` === object)!;
const found = (document: PlanDocument, object: string) => reviewDocument(document).findings.find((one) => one.object === object)!;
const judged = (document: PlanDocument, object: string) => {
  const { verdict, risk, reasons } = found(document, object);
  return [verdict, risk, reasons.map(({ code }) => code).join(" ")].join(" | ");
};
const withoutConfiguration = ({ configuration: _, ...document }: PlanDocument): PlanDocument => document;
const PROD = "capvs/clusters/prod";
const VSPHERE = "capvs/providers/vsphere";

describe("the users of a provider", () => {
  test("are none that the same plan makes anew", () => {
    const document = plan("provider-in-use");
    expect(judged(document, VSPHERE)).toBe("IN-USE | high | FIELDS_CHANGED IN_USE");
    changeOf(document, "capvs_clusters/prod").change.actions = ["delete", "create"];
    expect(judged(document, VSPHERE)).toBe("RE-CREATE | critical | FIELDS_CHANGED");
  });

  test("are none that are tainted, as their creation may have come to nothing", () => {
    const document = plan("provider-in-use");
    const { address } = changeOf(document, "capvs_clusters/prod");
    document.prior_state!.values.root_module.resources.find((resource) => resource.address === address)!.tainted = true;
    expect(judged(document, VSPHERE)).toBe("RE-CREATE | critical | FIELDS_CHANGED");
  });

  test("are those that stay under another verdict than destruction", () => {
    const document = plan("provider-in-use");
    changeOf(document, "capvs_clusters/prod").change.actions = ["forget"];
    expect(judged(document, VSPHERE)).toBe("IN-USE | high | FIELDS_CHANGED IN_USE");
  });
});

describe("a tainted object", () => {
  test("is one by the plan's own word, too", () => {
    const { prior_state: _, ...document } = plan("tainted");
    expect(judged(document, PROD)).toBe("DUPLICATE | high | TAINTED");
  });

  test("is noticed by the census of its Platform, if that stays", () => {
    const document = plan("tainted-removal");
    expect(judged(document, PROD)).toBe("ORPHAN | high | REMOVED TAINTED");
    const { root_module: root } = document.configuration!;
    root.resources = root.resources.filter(({ name }) => name !== "census");
    expect(judged(document, PROD)).toBe("ORPHAN | critical | REMOVED TAINTED");
    expect(judged(withoutConfiguration(plan("tainted-removal")), PROD)).toBe("ORPHAN | high | REMOVED TAINTED");
  });
});

test.each(["delete_because_no_resource_config", "delete_because_no_module", "delete_because_no_move_target"])(
  "a block is gone where the configuration is not there to say it, but %s is",
  (reason) => {
    const document = withoutConfiguration(plan("platform-removed"));
    changeOf(document, "capvs_clusters/prod").action_reason = reason;
    expect(judged(document, PROD)).toBe("ORPHAN | critical | BLOCK_REMOVED");
    changeOf(document, "capvs_clusters/prod").action_reason = "delete_because_each_key";
    expect(judged(document, PROD)).toMatch(/^DESTROY \| critical \| REMOVED/);
  },
);

describe("the settings of a Platform", () => {
  test("are those before, where the guard is destroyed and nothing says that it left the code", () => {
    const document = plan("destroy");
    const guard = document.resource_changes.find(({ name }) => name === "guard")!;
    expect(guard.change).toMatchObject({ actions: ["delete"], after: null });
    Object.assign(guard.change.before!.input!, { deletionProtection: ["prod"] });
    expect(judged(withoutConfiguration(document), PROD)).toBe("PROTECTED | high | DESTROY_ALL PROTECTED");
    expect(judged(document, PROD)).toBe("DESTROY | critical | DESTROY_ALL");
  });

  test("are none where the guard left the code", () => {
    const document = plan("protected-removal");
    expect(judged(document, "capvs/clusters/stage")).toBe("PROTECTED | high | REMOVED PROTECTED");
    const { root_module: root } = document.configuration!;
    root.resources = root.resources.filter(({ name }) => name !== "guard");
    const guard = document.resource_changes.find(({ name }) => name === "guard")!;
    guard.change = { ...guard.change, actions: ["delete"], before: guard.change.after, after: null };
    expect(judged(document, "capvs/clusters/stage")).toBe("DESTROY | critical | REMOVED");
  });

  test("are those of the code, where the plan has no change of the guard", () => {
    const document = plan("protected-removal");
    document.resource_changes = document.resource_changes.filter(({ name }) => name !== "guard");
    expect(judged(document, "capvs/clusters/stage")).toBe("PROTECTED | high | REMOVED PROTECTED");
  });
});

describe("an object that goes from one address to another", () => {
  const OLD = /^terraform_data\.capvs_clusters\["prod"\]$/;
  const NEW = /^terraform_data\.[a-z_]+_capvs_clusters\["prod"\]$/;

  test("is shown where it is, or, taken over, where it comes to be", () => {
    expect(found(plan("platform-renamed"), PROD)).toMatchObject({ provider: "vsphere", address: expect.stringMatching(OLD) });
    expect(found(plan("platform-renamed-adopt"), PROD)).toMatchObject({
      provider: "vsphere",
      address: expect.stringMatching(NEW),
    });
  });

  test("and that Terraform forgets at the old one has its name taken, unless it is taken over", () => {
    const forgotten = (name: string) => {
      const document = plan(name);
      for (const { change } of document.resource_changes) if (change.actions.join() === "delete") change.actions = ["forget"];
      return judged(document, PROD);
    };
    expect(forgotten("platform-renamed")).toBe("RETAIN | high | FORGOTTEN CREATED_AT NAME_TAKEN");
    expect(forgotten("platform-renamed-adopt")).toBe("ADOPT | medium | FORGOTTEN CREATED_AT ADOPTS");
  });

  test("and has a deposed copy leaves that behind, unless it is taken over", () => {
    const withCopy = (name: string) => {
      const document = plan(name);
      const old = document.resource_changes.find(({ address }) => OLD.test(address))!;
      document.resource_changes.push({ ...old, deposed: "1234", change: { ...old.change, actions: ["delete"] } });
      return judged(document, PROD);
    };
    expect(withCopy("platform-renamed")).toBe("ORPHAN | critical | DEPOSED BLOCK_REMOVED CREATED_AT NAME_TAKEN");
    expect(withCopy("platform-renamed-adopt")).toBe("ADOPT | medium | DEPOSED BLOCK_REMOVED CREATED_AT ADOPTS");
  });
});

test("of an object that has deposed copies only, one is told", () => {
  const document = plan("deposed");
  const copy = document.resource_changes.find(({ deposed }) => deposed !== undefined)!;
  document.resource_changes = [copy, { ...copy, deposed: "another" }];
  expect(reviewDocument(document).findings.map(({ verdict, object }) => [verdict, object])).toEqual([["ORPHAN", PROD]]);
});
