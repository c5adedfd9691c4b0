import { DataResource, dependable } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { cluster, provider } from "../support/capvs";
import { backends, providerBackend } from "../support/tools";
import { follow } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** Resources that Terraform replaces together with a provider or a cluster, after the new cluster is ready. */

testOn(inRest([...backends, providerBackend]))(
  "what follows a uid is replaced with the object, and with nothing else",
  async (fixture) => {
    const { workspace } = fixture;
    const declare = (props: PlatformProps = {}, more: { readonly folder?: string; readonly productVersion?: string } = {}) =>
      workspace.synth((stack) => {
        fixture.platform(stack, props);
        const { folder = "/eu/vm/clusters", productVersion = "2.5.0" } = more;
        const vsphere = provider(stack, "vsphere", { folder });
        const prod = cluster(stack, "prod", provider(stack, "other"), { productVersion });
        for (const [name, { id, uid }] of Object.entries({ vsphere, prod })) {
          new DataResource(stack, `add-on-${name}`, { triggersReplace: { id, uid } });
          new DataResource(stack, `chart-${name}`, { lifecycle: { replaceTriggeredBy: [dependable({ fqn: uid })] } });
        }
      });
    const changes = async () =>
      (await workspace.plan())
        .map(({ address, actions }) => `${actions.join("+")} ${address}`)
        .filter((each) => /-on-|chart-/.test(each));
    const replaced = (name: string) => ["add-on", "chart"].map((what) => `delete+create terraform_data.${what}-${name}`);

    declare();
    await fixture.converges();
    declare({ deletionProtection: true });
    expect(await workspace.plan()).not.toEqual([]);
    expect(await changes()).toEqual([]);
    await fixture.converges();
    declare({}, { folder: "/eu/vm/others" });
    expect(await changes()).toEqual(replaced("vsphere"));
    await fixture.converges();
    declare({}, { folder: "/eu/vm/others", productVersion: "2.6.0" });
    expect(await changes()).toEqual(replaced("prod"));
    const output = await fixture.converges();
    if (fixture.engine === Engine.PROVIDER) return;
    for (const dependent of ["add-on-prod", "chart-prod"])
      follow(output, `${dependent}: Destroying`, "cluster prod: deleting", "cluster prod is ready", `${dependent}: Creating`);
  },
);
