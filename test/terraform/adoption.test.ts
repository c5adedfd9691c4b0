import type { TerraformStack } from "cdktf";
import { CapvsProvider } from "../../src/constructs/capvs";
import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { cluster, provider } from "../support/capvs";
import { declare } from "../support/declare";
import { entriesIn } from "../support/synth";
import { terraformBackends } from "../support/tools";
import { StackFixture } from "./stack-fixture";

let fixture: StackFixture;
afterEach(() => fixture.close());

/** Lets somebody else create what another stack declares; nothing of it is in a state. */
function added(declareIt: (stack: TerraformStack) => void): void {
  const other = fixture.anotherWorkspace().synth((stack) => {
    fixture.platform(stack);
    declareIt(stack);
  });
  for (const kind of ["providers", "clusters"] as const) {
    for (const [block, entries] of Object.entries(entriesIn(other.synthesized()))) {
      const type = block.replace(`_${kind}`, "") as TypeCode;
      if (!block.endsWith(`_${kind}`)) continue;
      for (const { body } of Object.values(entries)) addBody(kind, type, body!);
    }
  }
}

/** Secrets of the body are no matter here. */
function addBody(kind: "providers" | "clusters", type: TypeCode, body: JsonObject): void {
  const plain = JSON.parse(
    JSON.stringify(body, (_, value: unknown) =>
      typeof value === "object" && value !== null && "$secret" in value ? "secret" : value,
    ),
  ) as JsonObject;
  fixture.simulator.add(kind as "providers", type, plain);
}

const posts = () => fixture.writes().filter((write) => write.startsWith("POST"));

describe.each(terraformBackends)("on $title", (backend) => {
  beforeEach(async () => (fixture = await StackFixture.open({ backend })));

  test("takes over a provider and its clusters at once, sends nothing, and deletes them when they leave the code", async () => {
    added((stack) => {
      const on = provider(stack);
      cluster(stack, "prod", on);
      cluster(stack, "stage", on);
    });
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      const on = provider(stack, "vsphere", { adopt: true });
      cluster(stack, "prod", on, { adopt: true });
      cluster(stack, "stage", on, { adopt: true });
    });
    const output = await fixture.applied();
    for (const adopted of ["capvs provider vsphere: adopted", "cluster prod: adopted", "cluster stage: adopted"])
      expect(output).toContain(adopted);
    expect(posts()).toEqual([]);
    expect(await fixture.workspace.plan()).toEqual([]);
    fixture.declareNothing();
    await fixture.applied();
    expect(fixture.live()).toEqual([]);
  });

  test("shows in the plan what is to be adopted, and to say it or to unsay it later is a change of one element", async () => {
    const declared = (adopt: boolean) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        cluster(stack, "prod", provider(stack), { adopt });
      });
    declared(false);
    await fixture.applied();
    const sent = fixture.simulator.requests.length;
    for (const adopt of [true, false]) {
      declared(adopt);
      const [guard, ...rest] = await fixture.workspace.plan();
      expect(rest).toEqual([]);
      expect(guard).toMatchObject({
        address: "terraform_data.protection",
        actions: ["update"],
        change: { after: { input: { adopt: adopt ? ["capvs/clusters/prod"] : [] } } },
      });
      await fixture.applied();
    }
    expect(fixture.simulator.requests).toHaveLength(sent);
  });

  test("creates what is not there, and says that there was nothing to adopt", async () => {
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      cluster(stack, "prod", provider(stack), { adopt: true });
    });
    expect(await fixture.applied()).toContain("cluster prod: nothing to adopt, the name is free; creating it");
    expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
  });

  test("refuses what differs, naming every difference, until the code says what lives", async () => {
    added((stack) => void cluster(stack, "prod", CapvsProvider.fromName("vsphere")));
    const declared = (count: number, podSubnet: string) =>
      fixture.workspace.synth((stack) => {
        fixture.platform(stack);
        cluster(stack, "prod", provider(stack), {
          adopt: true,
          podSubnet,
          controlPlane: { count, cpus: 4, memoryMib: 8192, diskGib: 60 },
        });
      });
    declared(5, "10.200.0.0/16");
    const output = await fixture.failed();
    expect(output).toContain("cluster prod lives on the service and differs from the declaration; nothing was touched:");
    expect(output).toContain("controlPlane.count: declared 5, live 3");
    expect(output).toContain("podSubnet: declared 10.200.0.0/16, live 10.244.0.0/16");
    expect(output).toContain("Declare what is live and apply again, or give the declaration another name");
    declared(3, "10.244.0.0/16");
    expect(await fixture.applied()).toContain("cluster prod: adopted");
    expect(posts()).toEqual(["POST /api/v1/platform/providers/capvs"]);
    expect(await fixture.workspace.plan()).toEqual([]);
  });

  test("refuses a cluster of another type or on another provider", async () => {
    added((stack) => {
      cluster(stack, "prod", CapvsProvider.fromName("other"));
      declare(stack, "capov", "cluster", { ...goldens.capov.cluster.minimal.declaration, name: "stage", provider: "rhv" });
    });
    fixture.workspace.synth((stack) => {
      fixture.platform(stack);
      const on = provider(stack);
      cluster(stack, "prod", on, { adopt: true });
      cluster(stack, "stage", on, { adopt: true });
    });
    const output = await fixture.failed();
    expect(output).toContain("provider: declared vsphere, live other");
    expect(output).toContain("type: declared capvs, live capov");
    expect(fixture.happened().slice(2)).toEqual(["+vsphere"]);
  });
});

describe("CLUSTER_PLATFORM_ADOPT", () => {
  beforeEach(async () => (fixture = await StackFixture.open()));

  test("takes over what it names for one run, and nothing else", async () => {
    added((stack) => {
      cluster(stack, "prod", CapvsProvider.fromName("vsphere"));
      cluster(stack, "stage", CapvsProvider.fromName("vsphere"));
    });
    fixture.declare(["prod", "stage"]);
    const output = await fixture.failed({ env: { CLUSTER_PLATFORM_ADOPT: " capvs/clusters/prod , capvs/clusters/none " } });
    expect(output).toContain("cluster prod: adopted");
    expect(output).toContain("the name of cluster stage is taken");
    expect(output).toContain("apply once with CLUSTER_PLATFORM_ADOPT=capvs/clusters/stage");
    await fixture.applied({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/stage" } });
    expect(fixture.happened().slice(2)).toEqual(["+vsphere"]);
    expect(await fixture.workspace.plan()).toEqual([]);
  });

  test.each(["prod", "capvs/cluster/prod", "capvs/clusters/prod;capvs/clusters/stage", "capvs/clusters/*"])(
    "is refused as %s, which is no id, before anything is sent",
    async (ids) => {
      fixture.declare(["prod"]);
      const output = await fixture.failed({ env: { CLUSTER_PLATFORM_ADOPT: ids } });
      expect(output).toContain("'CLUSTER_PLATFORM_ADOPT' must be ids of objects, as in capvs/clusters/prod, separated by commas");
      expect(fixture.simulator.requests).toEqual([]);
    },
  );
});
