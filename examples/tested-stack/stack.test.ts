import { Testing } from "cdktf";
import { Secret } from "cdktf-cluster-platform";
import { startSimulator } from "cdktf-cluster-platform/simulator";
import { declared, Deployment, matchers, terraformOnPath, type StackMatchers } from "cdktf-cluster-platform/testing";
import { Region, type RegionProps } from "./stack";

declare global {
  namespace jest {
    interface Matchers<R> extends StackMatchers<R> {}
  }
}

expect.extend(matchers);

const region = (props: RegionProps) => new Region(Testing.app(), "region", props);

test("production clusters have three control plane nodes, and a laboratory has one", () => {
  const stack = region({ clusters: ["prod-1", "lab-1"] });
  expect(stack).toDeclareCluster("prod-1", { apiEndpoint: "10.20.0.10", controlPlane: { count: 3 } });
  expect(stack).toDeclareCluster("lab-1", { apiEndpoint: "10.20.0.11", controlPlane: { count: 1 } });
  expect(stack).toDeclareProvider("vsphere-eu", { password: Secret.fromEnv("VSPHERE_PASSWORD") });
});

test("every cluster is protected and waits for its provider", () => {
  const { clusters } = declared(region({ clusters: ["prod-1", "lab-1"] }));
  expect(Object.keys(clusters)).toEqual(["lab-1", "prod-1"]);
  for (const cluster of Object.values(clusters)) {
    expect(cluster).toMatchObject({ protected: true, waitsFor: ["capvs/providers/vsphere-eu"] });
  }
});

test("a change may delete only what it names", () => {
  const stack = region({ clusters: ["prod-1", "lab-1"], allowDeletion: ["lab-1"] });
  expect(stack).toProtect("prod-1");
  expect(stack).not.toProtect("lab-1");
});

const testWithTerraform = terraformOnPath() === undefined ? test.skip : test;

testWithTerraform(
  "a laboratory is created, and deleted when it leaves the code",
  async () => {
    const service = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
    const deployment = new Deployment({ service, env: { VSPHERE_USERNAME: "user", VSPHERE_PASSWORD: "password" } });
    await deployment.apply(region({ clusters: ["lab-1"] }));
    expect(service.clusters.map(({ name }) => name)).toEqual(["lab-1"]);

    await expect(deployment.apply(region({ clusters: [] }))).rejects.toThrow("PROTECTED");
    await deployment.apply(region({ clusters: [], allowDeletion: ["lab-1"] }));
    expect(service.clusters).toEqual([]);

    await deployment.destroy();
    deployment.remove();
    await service.close();
  },
  300_000,
);
