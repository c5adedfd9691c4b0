import { DataResource, Testing, type TerraformStack } from "cdktf";
import { Engine, Platform } from "cdktf-cluster-platform";
import { dependenciesOf } from "../../src/synthesized/dependencies";
import { synthesizedObjects } from "../../src/synthesized/objects";
import { idOf } from "../../src/model/object-ref";
import { cluster, provider } from "../support/capvs";

function dependenciesIn(engine: Engine, declare: (stack: TerraformStack, engine: Engine) => void): Record<string, string[]> {
  const synthesized: unknown = JSON.parse(Testing.synthScope((stack) => declare(stack as TerraformStack, engine)));
  const objects = synthesizedObjects(synthesized);
  return Object.fromEntries(objects.map((object) => [idOf(object), dependenciesOf(synthesized, objects, object)]));
}

describe.each(Object.values(Engine))("%s", (engine) => {
  test("a cluster waits for its provider in the stack, and for no other one", () => {
    const found = dependenciesIn(engine, (stack) => {
      new Platform(stack, "platform", { engine });
      provider(stack, "other");
      cluster(stack, "prod", provider(stack));
    });
    expect(found).toEqual({
      "capvs/providers/other": [],
      "capvs/providers/vsphere": [],
      "capvs/clusters/prod": ["capvs/providers/vsphere"],
    });
  });

  test("dependsOn and references count, of resources, clusters and whole Platforms", () => {
    const found = dependenciesIn(engine, (stack) => {
      const image = new DataResource(stack, "image", { input: {} });
      const rack = new DataResource(stack, "rack", { input: {} });
      const [eu, us] = ["eu", "us"].map(
        (name) => new Platform(stack, name, { engine, name, url: `https://${name}.example.com` }),
      );
      const vsphere = provider(stack, "vsphere", { platform: eu, dependsOn: [us!] });
      cluster(stack, "prod", vsphere, { platform: eu, ingress: rack.id, dependsOn: [image] });
      provider(stack, "ovh", { platform: us });
    });
    expect(found).toEqual({
      "capvs/providers/ovh": [],
      "capvs/providers/vsphere": ["capvs/providers/ovh"],
      "capvs/clusters/prod": ["capvs/providers/vsphere", "terraform_data.image", "terraform_data.rack"],
    });
  });

  test("a cluster waits for one cluster of another Platform", () => {
    const found = dependenciesIn(engine, (stack) => {
      const [eu, us] = ["eu", "us"].map(
        (name) => new Platform(stack, name, { engine, name, url: `https://${name}.example.com` }),
      );
      const first = cluster(stack, "first", provider(stack, "vsphere", { platform: us }), { platform: us });
      provider(stack, "second", { platform: us });
      cluster(stack, "prod", provider(stack, "third", { platform: eu }), { platform: eu, dependsOn: [first] });
    });
    expect(found["capvs/clusters/prod"]).toEqual(["capvs/clusters/first", "capvs/providers/third"]);
  });
});
