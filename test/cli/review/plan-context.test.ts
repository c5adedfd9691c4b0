import { readPlan } from "../../../src/cli/review/plan/plan";
import { reviewPlans } from "../../../src/cli/review/judge/review";
import { compressed } from "../../../src/constructs/hook-engine/destroy-hooks";
import { declareSettings, planDocument, type PlanDocument, reasonsOf, reviewDocument } from "./plans";

/** The context of a change in a plan. Plans are edited for it. */

const plan = planDocument;
const changeOf = ({ resource_changes: changes }: PlanDocument, object: string) =>
  changes.find(({ name, index }) => `${name}/${index}` === object)!;
const found = (document: PlanDocument, object: string) => reviewDocument(document).findings.find((one) => one.object === object)!;
const judged = (document: PlanDocument, object: string) => {
  const { verdict, refused, risk, reasons } = found(document, object);
  return [refused ? `${verdict}, refused` : verdict, risk, reasonsOf(reasons)].join(" | ");
};
const withoutConfiguration = ({ configuration: _, ...document }: PlanDocument): PlanDocument => document;
/** Gives the Platforms their services. The plan has one Platform; the other one is called `lab`. */
const onServices = (document: PlanDocument, own: string | undefined, ofLab: string | undefined): PlanDocument => {
  declareSettings(document, { connection: { ...(own !== undefined && { url: own }) } });
  const protection = structuredClone(document.resource_changes.find(({ name }) => name === "cluster_platform_protection")!);
  Object.assign(protection.change.after!.input!, { connection: { ...(ofLab !== undefined && { url: ofLab }) } });
  document.resource_changes.push({
    ...protection,
    name: "cluster_platform_lab_protection",
    address: "terraform_data.cluster_platform_lab_protection",
  });
  return document;
};
const [ONE, OTHER] = ["https://platform.example.com", "https://other.example.com"];
const PROD = "capvs/clusters/prod";
const VSPHERE = "capvs/providers/vsphere";

describe("the users of a provider", () => {
  test("do not include clusters that the same plan replaces", () => {
    const document = plan("provider-in-use");
    expect(judged(document, VSPHERE)).toBe("REPLACE, refused | high | CHANGED, in use");
    changeOf(document, "capvs_clusters/prod").change.actions = ["delete", "create"];
    expect(judged(document, VSPHERE)).toBe("REPLACE | critical | CHANGED");
  });

  test("do not include tainted clusters, because their creation may have failed", () => {
    const document = plan("provider-in-use");
    const { address } = changeOf(document, "capvs_clusters/prod");
    document.prior_state!.values.root_module.resources.find((resource) => resource.address === address)!.tainted = true;
    expect(judged(document, VSPHERE)).toBe("REPLACE | critical | CHANGED");
  });

  test("include clusters that stay with a verdict other than destruction", () => {
    const document = plan("provider-in-use");
    changeOf(document, "capvs_clusters/prod").change.actions = ["forget"];
    expect(judged(document, VSPHERE)).toBe("REPLACE, refused | high | CHANGED, in use");
  });
});

test("clusters of another Platform do not use a provider, because they are on another service", () => {
  const text = JSON.stringify(plan("provider-in-use")).replaceAll("capvs_clusters", "lab_capvs_clusters");
  expect(judged(onServices(JSON.parse(text) as PlanDocument, undefined, OTHER), VSPHERE)).toBe("REPLACE | critical | CHANGED");
});

test.each([
  [OTHER, "LEAVE | critical | moves to, was at"],
  [`${ONE}/`, "UNCHANGED | low | was at"],
])("an object that moves to a Platform on %s stays behind on https://platform.example.com, or not", (service, expected) => {
  const document = plan("unchanged");
  const moved = changeOf(document, "capvs_clusters/prod");
  const address = 'null_resource.lab_capvs_clusters["prod"]';
  Object.assign(moved, { name: "lab_capvs_clusters", address, previous_address: moved.address });
  expect(judged(onServices(document, ONE, service), PROD)).toBe(expected);
});

test.each([
  ["stays with other fields", {}, ["prod", "stage"]],
  ["goes to another provider", { provider: "other" }, ["stage"]],
])("the users of a provider of another stack are the clusters that use it before and after: one that %s", (_, fields, users) => {
  const document = plan("change");
  Object.assign(changeOf(document, "capvs_clusters/prod").change.after!.triggers!, fields);
  const stacks = [plan("provider-free"), document].map((each, index) => ({
    name: `${index}`,
    plan: readPlan(each, "plan.json"),
  }));
  expect(reviewPlans(stacks).notes).toContainEqual(
    expect.objectContaining({ code: "REFUSED", because: "used elsewhere", clusters: users }),
  );
});

describe("a tainted object", () => {
  test("is recognized by the reason in the plan, too", () => {
    const { prior_state: _, ...document } = plan("tainted");
    expect(judged(document, PROD)).toBe("CREATE | low | TAINTED");
  });

  test("is found by the orphan check of its Platform, if the plan destroys one that has the object and is not tainted", () => {
    const changed = (edit: (check: PlanDocument["resource_changes"][number]) => void) => {
      const document = plan("tainted-removal");
      edit(document.resource_changes.find(({ name }) => name === "cluster_platform_orphan_check")!);
      return judged(document, PROD);
    };
    const unseen = "LEAVE | critical | REMOVED, TAINTED";
    expect(changed(({ change }) => Object.assign(change, { actions: ["create"], before: null }))).toBe(unseen);
    expect(changed((check) => (check.action_reason = "replace_because_tainted"))).toBe(unseen);
    expect(changed(({ change }) => Object.assign(change.before!, { triggers_replace: { objects: {} } }))).toBe(unseen);
  });

  test("is not found if the Platform leaves the code", () => {
    const document = plan("tainted-removal");
    expect(judged(document, PROD)).toBe("LEAVE | high | REMOVED, TAINTED");
    const { root_module: root } = document.configuration!;
    root.resources = root.resources.filter(({ name }) => name !== "cluster_platform_orphan_check");
    expect(judged(document, PROD)).toBe("LEAVE | critical | REMOVED, TAINTED");
    expect(judged(withoutConfiguration(plan("tainted-removal")), PROD)).toBe("LEAVE | high | REMOVED, TAINTED");
  });
});

test.each(["delete_because_no_resource_config", "delete_because_no_module", "delete_because_no_move_target"])(
  "a removed block is recognized without the configuration, by %s",
  (reason) => {
    const document = withoutConfiguration(plan("platform-removed"));
    changeOf(document, "capvs_clusters/prod").action_reason = reason;
    expect(judged(document, PROD)).toBe("LEAVE | critical | block removed");
    changeOf(document, "capvs_clusters/prod").action_reason = "delete_because_each_key";
    expect(judged(document, PROD)).toMatch(/^DESTROY \| critical \| REMOVED/);
  },
);

const protectionIn = (document: PlanDocument) =>
  document.resource_changes.find(({ name }) => name === "cluster_platform_protection")!;

describe("the settings of a Platform", () => {
  test("are the prior ones if `protection` is destroyed and nothing shows that it left the code", () => {
    const document = plan("destroy");
    const protection = protectionIn(document);
    expect(protection.change).toMatchObject({ actions: ["delete"], after: null });
    Object.assign(protection.change.before!.input!, { deletionProtection: ["prod"] });
    expect(judged(withoutConfiguration(document), PROD)).toBe("DESTROY, refused | high | DESTROY_ALL, protected");
    expect(judged(document, PROD)).toBe("DESTROY | critical | DESTROY_ALL");
  });

  test("are unknown if `protection` left the code", () => {
    const document = plan("protected-removal");
    expect(judged(document, "capvs/clusters/stage")).toBe("DESTROY, refused | high | REMOVED, protected");
    const { root_module: root } = document.configuration!;
    root.resources = root.resources.filter(({ name }) => name !== "cluster_platform_protection");
    const protection = protectionIn(document);
    protection.change = { ...protection.change, actions: ["delete"], before: protection.change.after, after: null };
    expect(judged(document, "capvs/clusters/stage")).toBe("DESTROY | critical | REMOVED");
  });

  test("are those of the code if the plan has no change of `protection`", () => {
    const document = plan("protected-removal");
    document.resource_changes = document.resource_changes.filter(({ name }) => name !== "cluster_platform_protection");
    expect(judged(document, "capvs/clusters/stage")).toBe("DESTROY, refused | high | REMOVED, protected");
  });
});

describe("objects that stay deleted because something else is refused", () => {
  const stays = (document: PlanDocument) => {
    const note = reviewDocument(document).notes.find(({ because }) => because === "refused in between");
    return note && "refused" in note ? `${note.objects.join()} by ${note.refused.join()}` : undefined;
  };
  const without = (document: PlanDocument, ...names: string[]) => {
    document.resource_changes = document.resource_changes.filter(({ name }) => !names.includes(name));
    return document;
  };
  const sameNames = (document: PlanDocument) => {
    document.resource_changes = document.resource_changes.filter(({ index }) => index !== "dev");
    return without(document, "cluster_platform_orphan_check", "cluster_platform_ready");
  };
  /** The plan with another replaced registration that no cluster uses. */
  const withSpare = (document: PlanDocument) => {
    const spare = structuredClone(changeOf(document, "capvs_providers/vsphere"));
    Object.assign(spare, { index: "spare", address: spare.address.replace("vsphere", "spare"), action_reason: undefined });
    spare.change.actions = ["delete", "create"];
    for (const values of [spare.change.before, spare.change.after]) values!.triggers!.name = "spare";
    document.resource_changes.push(spare);
    return document;
  };

  test("do not exist if the deletion guard refuses before anything is deleted", () => {
    expect(stays(plan("protected-and-replace"))).toBeUndefined();
  });

  test("do not exist beside a protected cluster if no names change and no provider is registered", () => {
    expect(stays(without(plan("protected-and-replace"), "cluster_platform_ready"))).toBe(`${PROD} by capvs/clusters/stage`);
    expect(stays(sameNames(plan("protected-and-replace")))).toBeUndefined();
    expect(stays(withSpare(sameNames(plan("protected-and-replace"))))).toBe(`${PROD} by capvs/clusters/stage`);
  });

  test("are the clusters of the type of a refused provider, whatever else changes", () => {
    const document = plan("provider-in-use-and-replace");
    expect(stays(document)).toBe(`${PROD} by ${VSPHERE}`);
    for (const change of document.resource_changes) if (change.name === "capvs_providers") change.name = "capov_providers";
    expect(stays(document)).toBeUndefined();
  });

  test("are objects of any type if a provider that is deleted is in use", () => {
    const document = plan("protected-and-replace");
    declareSettings(document, { deletionProtection: [] });
    const vsphere = changeOf(document, "capvs_providers/vsphere");
    vsphere.change = { ...vsphere.change, actions: ["delete"], after: null };
    vsphere.action_reason = "delete_because_each_key";
    const kept = changeOf(document, "capvs_clusters/stage");
    kept.change = { ...kept.change, actions: ["no-op"], after: kept.change.before };
    for (const change of document.resource_changes) if (change.index === "prod") change.name = "capov_clusters";
    expect(judged(document, VSPHERE)).toBe("DESTROY, refused | high | REMOVED, in use");
    expect(stays(document)).toBe(`capov/clusters/prod by ${VSPHERE}`);
  });

  test("include those of a provider whose name is taken", () => {
    const document = plan("provider-in-use-and-replace");
    declareSettings(document, { retain: ["vsphere"] });
    expect(judged(document, VSPHERE)).toBe("LEAVE, refused | high | CHANGED, retain, taken");
    expect(stays(document)).toBe(`${PROD} by ${VSPHERE}`);
    declareSettings(document, { retain: ["stage", "vsphere"], adopt: [VSPHERE] });
    expect(judged(document, VSPHERE)).toBe("ADOPT | medium | CHANGED, retain");
    expect(stays(document)).toBeUndefined();
  });

  test("include those of a provider that clusters of another stack use", () => {
    const document = plan("provider-in-use-and-replace");
    document.resource_changes = document.resource_changes.filter(({ index }) => index !== "stage");
    delete document.prior_state;
    expect(judged(document, VSPHERE)).toBe("REPLACE | critical | CHANGED");
    expect(stays(document)).toBeUndefined();
    const stacks = [document, plan("unchanged")].map((each, index) => ({
      name: `${index}`,
      plan: readPlan(each, "plan.json"),
      foreign: [],
    }));
    expect(reviewPlans(stacks).notes[0]).toEqual({
      code: "STAYS_DELETED",
      because: "refused in between",
      risk: "critical",
      stack: "0",
      objects: [PROD],
      refused: [VSPHERE],
    });
  });

  test("are never those of another Platform", () => {
    const document = plan("provider-in-use-and-replace");
    changeOf(document, "capvs_providers/vsphere").module_address = "module.other";
    expect(stays(document)).toBeUndefined();
  });
});

interface Holder {
  readonly expressions: { readonly input: { readonly constant_value: object } };
}

describe("the deletion guard of a Platform", () => {
  const refusals = (document: PlanDocument) =>
    reviewDocument(document).notes.flatMap((note) => (note.code === "REFUSED" ? [note.because] : []));
  const guardOf = (document: PlanDocument) => document.resource_changes.find(({ name }) => name === "cluster_platform_ready")!;

  test("is not mentioned if Terraform does not run its hook", () => {
    const spared = plan("protected-removal");
    guardOf(spared).change.actions = ["no-op"];
    expect(refusals(spared)).toEqual([]);
    const tainted = plan("protected-removal");
    guardOf(tainted).action_reason = "replace_because_tainted";
    expect(refusals(tainted)).toEqual([]);
  });

  test("allows unknown names in retain while only retained objects are removed or replaced", () => {
    const document = plan("retain-unknown");
    expect(refusals(document)).toEqual(["retain matches nothing"]);
    declareSettings(document, { retain: ["nobody", "stage"] });
    expect(refusals(document)).toEqual(["retain matches nothing"]);
    declareSettings(document, { retain: ["nobody", "stage", "prod"] });
    expect(refusals(document)).toEqual([]);
  });

  test("is `protection` in a destroy, and refuses what the last apply had, and what the code has and lives", () => {
    const snapshot = (ids: readonly string[]) => compressed({ objects: Object.fromEntries(ids.map((id) => [id, ""])) });
    const destroyed = (
      edit: (document: PlanDocument) => void = () => undefined,
      objects = [PROD, "capvs/clusters/new"],
      applied: readonly string[] = [],
    ) => {
      const document = plan("destroy-protected");
      document.resource_changes = document.resource_changes.filter((change) => change !== guardOf(document));
      const { resources } = document.configuration!.root_module;
      const [hook] = resources.find(({ name }) => name === "cluster_platform_protection")!.provisioners!;
      Object.assign(hook!.expressions.environment!.constant_value as object, {
        CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot(objects),
      });
      const { change } = document.resource_changes.find(({ name }) => name === "cluster_platform_protection")!;
      Object.assign((change.before as { input: object }).input, { objects: snapshot(applied) });
      edit(document);
      return reviewDocument(document).notes.filter(({ code }) => code === "REFUSED");
    };
    const refused = { because: "protected", names: [PROD], allowedBy: "deletionProtection: false" };
    expect(destroyed()).toEqual([expect.objectContaining(refused)]);
    const lost = (document: PlanDocument) => (changeOf(document, "capvs_clusters/prod").change.before = null);
    expect(destroyed(lost)).toEqual([]);
    expect(destroyed(lost, [], [PROD])).toEqual([expect.objectContaining(refused)]);
    expect(destroyed(undefined, ["capvs/clusters/stage"])).toEqual([]);
    const mistyped = (retain: string[]) => (document: PlanDocument) => {
      const { resources } = document.configuration!.root_module;
      const holder = resources.find(({ name }) => name === "cluster_platform_protection") as unknown as Holder;
      Object.assign(holder.expressions.input.constant_value, { deletionProtection: [], retain });
    };
    expect(destroyed(mistyped(["nobody", "stage", "new"]))).toMatchObject([
      { because: "retain matches nothing", names: ["nobody"] },
    ]);
  });

  test("does not repeat the warning about a registration", () => {
    const document = plan("register-and-replace");
    declareSettings(document, { deletionProtection: ["stage"] });
    Object.assign(guardOf(document).change.after!, {
      triggers_replace: { objects: { [PROD]: "", [VSPHERE]: "", "capvs/providers/vsphere-2": "" } },
    });
    expect(reviewDocument(document).notes.map(({ because }) => because)).toEqual(["protected"]);
  });
});

describe("an object that moves to another address", () => {
  const OLD = /^null_resource\.capvs_clusters\["prod"\]$/;
  const NEW = /^null_resource\.[a-z_]+_capvs_clusters\["prod"\]$/;

  test("is shown at its address, or, if adopted, at its new one", () => {
    expect(found(plan("platform-renamed"), PROD)).toMatchObject({ provider: "vsphere", address: expect.stringMatching(OLD) });
    expect(found(plan("platform-renamed-adopt"), PROD)).toMatchObject({
      provider: "vsphere",
      address: expect.stringMatching(NEW),
    });
  });

  test("and that Terraform forgets at the old one finds its name taken, unless it is adopted", () => {
    const forgotten = (name: string) => {
      const document = plan(name);
      for (const { change } of document.resource_changes) if (change.actions.join() === "delete") change.actions = ["forget"];
      return judged(document, PROD);
    };
    expect(forgotten("platform-renamed")).toBe("LEAVE, refused | high | destroy = false, declared at, taken");
    expect(forgotten("platform-renamed-adopt")).toBe("ADOPT | medium | destroy = false, declared at");
  });

  test("and that another Platform declares is another object", () => {
    const moving = (...urls: readonly (string | undefined)[]) => {
      const document = plan("remove");
      const stage = document.resource_changes.find(({ index }) => index === "stage")!;
      const protection = document.resource_changes.find(({ name }) => name === "cluster_platform_protection")!;
      const inLab = (id: string) => id.replace(/^(cluster_platform_)?/, "$1lab_");
      const at = (resource: typeof stage, change: object) => ({
        ...resource,
        address: resource.address.replace(resource.name, inLab(resource.name)),
        name: inLab(resource.name),
        change: { ...resource.change, ...change },
      });
      const lab = structuredClone(protection);
      const onService = (url?: string) => ({ connection: url === undefined ? {} : { url } });
      Object.assign(lab.change.after!.input!, onService(urls[1]));
      declareSettings(document, onService(urls[0]));
      document.resource_changes.push(at(stage, { actions: ["create"], before: null, after: stage.change.before }), at(lab, {}));
      return document;
    };
    const moved = (...urls: readonly (string | undefined)[]) => judged(moving(...urls), "capvs/clusters/stage");
    const [one, two] = ["https://one.example.com", "https://two.example.com"];
    expect(moved(one)).toBe("DESTROY | critical | REMOVED");
    expect(moved(undefined, one)).toBe("DESTROY | critical | REMOVED");
    expect(moved(one, two)).toBe("DESTROY | critical | REMOVED");
    const stages = reviewDocument(moving(one, two)).findings.filter(({ name }) => name === "stage");
    expect(stages.map(({ service }) => service()).sort()).toEqual([one, two]);
  });

  test("and that has a deposed copy leaves the copy behind, unless it is adopted", () => {
    const withCopy = (name: string) => {
      const document = plan(name);
      const old = document.resource_changes.find(({ address }) => OLD.test(address))!;
      document.resource_changes.push({ ...old, deposed: "1234", change: { ...old.change, actions: ["delete"] } });
      return judged(document, PROD);
    };
    expect(withCopy("platform-renamed")).toBe("LEAVE, refused | critical | deposed copy, block removed, declared at, taken");
    expect(withCopy("platform-renamed-adopt")).toBe("ADOPT | medium | deposed copy, block removed, declared at");
  });
});

test("with several deposed copies only is reported once", () => {
  const document = plan("deposed");
  const copy = document.resource_changes.find(({ deposed }) => deposed !== undefined)!;
  document.resource_changes = [copy, { ...copy, deposed: "another" }];
  expect(reviewDocument(document).findings.map(({ verdict, object }) => [verdict, object])).toEqual([["LEAVE", PROD]]);
});
