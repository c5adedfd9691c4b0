import { readPlan } from "../../../src/cli/review/plan/plan";
import { SynthesizedStack } from "../../../src/cli/review/plan/synthesized-stack";
import { reviewPlans, type Review } from "../../../src/cli/review/judge/review";
import { foreignPlaces } from "../../../src/recognition/recognize";
import { Engine } from "../../../src/constructs/engine";
import { Platform } from "../../../src/constructs/platform";
import { synthesize } from "../../support/synth";
import { gated, planDocument, type PlanDocument, reasonsOf, reviewAlone } from "./plans";

/** Reviews of plans whose hooks cannot be compared, or are not those of the configuration. */

const verdictOf = ({ findings }: Review, name = "stage") => {
  const { verdict, refused, risk, reasons } = findings.find((finding) => finding.name === name)!;
  return [refused ? `${verdict}, refused` : verdict, risk, reasonsOf(reasons)].join(" | ");
};
const unverified = ({ notes }: Review) => notes.find(({ because }) => because === "hooks not verified");
/** As in the example pipelines. */
const passes = (review: Review, allow: object[] = []) => gated(review, { failOn: "critical" }, { allow }).passed;

describe("without the configuration, the hooks are not verified:", () => {
  test.each(["create", "remove", "change", "destroy", "retain", "protected-removal", "readiness-only"])(
    "the gate denies a plan that runs them: %s",
    (name) => {
      const review = reviewAlone(planDocument(name));
      expect(unverified(review)).toEqual({
        code: "FOREIGN",
        because: "hooks not verified",
        risk: "critical",
        stack: "stack",
        run: true,
        inModules: false,
      });
      const allowed = review.findings.map(({ object, verdict }) => ({ object, verdict }));
      expect(passes(review, allowed)).toBe(false);
    },
  );

  test("a plan that runs none of them passes", () => {
    const review = reviewAlone(planDocument("unchanged"));
    expect(unverified(review)).toMatchObject({ risk: "none", run: false });
    expect(passes(review)).toBe(true);
  });

  test("a plan of the Terraform provider has none", () => {
    expect(unverified(reviewAlone(planDocument("provider/everything")))).toBeUndefined();
  });

  test.each(["foreign-hook", "foreign-hook-and-frozen-guard"])(
    "what foreign hooks do is not known, so a rule about deletions denies it: %s",
    (name) => {
      const review = reviewAlone(planDocument(name));
      expect(review.findings[0]).toMatchObject({ name: "stage", verdict: "DESTROY", refused: true });
      const codes = (rules: object[]) => gated(review, "none", { rules }).denials.map(({ code }) => code);
      expect(codes([{ rule: "forbid-destroy", objects: ["prod"] }])).toEqual(["NOTE"]);
      expect(codes([{ rule: "max-clusters-deleted", count: 1 }])).toEqual(["NOTE"]);
      expect(codes([{ rule: "max-clusters-created", count: 1 }])).toEqual([]);
    },
  );

  test("a deletion guard without its hook refuses nothing", () => {
    const { notes } = reviewAlone(planDocument("without-destroy-hooks"));
    expect(notes.map(({ because }) => because)).not.toContain("REFUSED");
  });

  test("provisioners of the Terraform provider's resources and of others are foreign", () => {
    const document = planDocument("provider/unchanged");
    const addresses = ["clusterplatform_ready.ready", "clusterplatform_capvs_cluster.prod", "aws_instance.web"];
    const provisioners = [{ type: "local-exec", expressions: { command: { constant_value: "true" } } }];
    document.resource_changes = addresses.map((address) => {
      const [type = "", name = ""] = address.split(".");
      return { address, type, name, change: { actions: ["create"], before: null, after: { name: { prod: "" } } } };
    });
    document.configuration!.root_module.resources = document.resource_changes.map(({ type, name }) => ({
      type,
      name,
      provisioners,
    }));
    const { notes } = reviewAlone(document);
    expect(notes.flatMap((note) => (note.because === "not from this package" ? note.addresses : []))).toEqual(addresses);
  });
});

describe("with the configuration", () => {
  const stack = () => synthesize((scope) => void new Platform(scope, "platform", { engine: Engine.NULL_RESOURCE }));
  const reviewed = (document: PlanDocument, synthesized: object) => {
    const foreign = foreignPlaces({ files: new Map([["cdk.tf.json", Buffer.from(JSON.stringify(synthesized, null, 2))]]) });
    const plan = readPlan(document, "plan.json");
    return reviewPlans([{ name: "stack", plan, foreign, synthesized: new SynthesizedStack(synthesized as never) }]);
  };

  test("a removed block of a Platform with a hook is foreign", () => {
    const local = { when: "destroy", command: "delete" };
    const block = { from: "null_resource.capvs_clusters", provisioner: [{ "local-exec": local }] };
    const review = reviewed(planDocument("platform-removed"), { ...stack(), removed: [block] });
    expect(review.notes.flatMap((note) => (note.because === "not from this package" ? note.addresses : []))).toEqual([
      "removed null_resource.capvs_clusters",
    ]);
    expect(verdictOf(review, "prod")).toBe("LEAVE | critical | block removed, hook");
  });

  test("the hooks of a Platform in a module are not verified", () => {
    const withModule = (block: { type: string; name: string }) => {
      const document = planDocument("platform-removed");
      const address = `module.eu.${block.type}.${block.name}`;
      document.resource_changes.push({
        address,
        module_address: "module.eu",
        ...block,
        index: "prod",
        change: { actions: ["create"], before: null, after: {} },
      });
      return unverified(reviewed(document, stack()));
    };
    expect(withModule({ type: "aws_vpc", name: "main" })).toBeUndefined();
    expect(withModule({ type: "null_resource", name: "capvs_clusters" })).toMatchObject({
      risk: "critical",
      run: true,
      inModules: true,
    });
  });
});
