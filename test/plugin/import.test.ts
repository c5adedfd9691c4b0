import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAtLeast } from "../support/tools";
import { cluster, controlPlane, programs, provider, ready, testOnPrograms } from "./plugin-fixture";

/** Objects from elsewhere: from the service, or from a resource with hooks. */

const importing = (name: string, id = name) => `import {\n  to = clusterplatform_capvs_cluster.${name}\n  id = "${id}"\n}\n`;

testOnPrograms(
  "an import accepts a matching object, names the fields that the lists do not show, and refuses a difference",
  async (stack) => {
    stack.write([provider(), cluster("prod")]);
    await stack.applied();
    const address = "clusterplatform_capvs_cluster.prod";
    const { id, uid } = stack.attributes(address);
    expect(await stack.run(["state", "rm", address])).toMatchObject({ status: 0 });
    const writes = stack.writes().length;

    stack.write([provider(), cluster("prod", { control_plane: controlPlane(5) }), importing("prod")]);
    expect(await stack.refused()).toContain(
      "[ADOPT_MISMATCH] cluster prod cannot be imported, because it differs from its declaration: control_plane.count is 3, declared is 5",
    );
    stack.write([provider(), cluster("other", {}, "prod"), importing("prod")]);
    const refusal = await stack.refused();
    expect(refusal).toContain("cluster prod was imported, and the block declares cluster other");
    expect(refusal).toContain("remove it: terraform state rm with the address of this block");
    stack.write([provider(), cluster("prod", {}, "none"), importing("none")]);
    const absent = await stack.refused();
    expect(absent).toMatch(/\[OBJECT_MISSING\].*cluster none cannot be imported: it is not on the service at \S+/);
    expect(absent).toContain("Create the object: remove the import");

    // With ignore_changes, Terraform proposes the nulls of the import. A later plan without it would replace the object.
    const ignored = 'control_plane, ingress, secure, workers["default"]';
    const ignoring = cluster("prod", { ingress: '"apps.example.com"', secure: "true" }).replace(
      /}\n$/,
      `  lifecycle {\n    ignore_changes = [${ignored}]\n  }\n}\n`,
    );
    stack.write([provider(), ignoring, importing("prod")]);
    expect(await stack.refused()).toContain(
      "[INVALID_PROP] cluster prod cannot be imported with ignore_changes of control_plane, ingress, secure, workers",
    );

    // Without it, Terraform 1.16.0 ignores required_providers for an import without a block of the resource.
    const named = importing("prod").replace("}", "  provider = clusterplatform\n}");
    stack.write([provider(), isAtLeast(stack.binary, { terraform: 16, openTofu: 99 }) ? named : importing("prod")]);
    const generated = join(stack.folder, "generated");
    await stack.run(["plan", `-generate-config-out=${generated}`]);
    const written = readFileSync(generated, "utf8").replace(/ +/g, " ");
    for (const line of ["count = 3", 'pod_subnet = "10.244.0.0/16"', 'provider_name = "vsphere"', "product_version = null"])
      expect(written).toContain(` ${line}\n`);

    stack.write([provider(), cluster("prod", { secure: "true" }), importing("prod"), ready(["prod"])]);
    const imported = await stack.applied();
    expect(imported).toContain("1 imported, 1 added, 1 changed, 0 destroyed");
    expect(imported).toMatch(
      /prod is imported; \d+ fields could not be checked: control_plane\.cpus, .*product_version, .*workers\["default"\]\.cpus/,
    );
    expect(await stack.changes()).toEqual([]);
    expect(stack.attributes(address)).toMatchObject({ secure: true, product_version: "2.5.0", service: stack.simulator.url });
    expect(stack.writes()).toHaveLength(writes);

    expect(stack.attributes(address)).toMatchObject({ id, uid: expect.not.stringMatching(String(uid)) });

    // A second import makes another uid for the same object. What uses its endpoint does not change.
    expect(await stack.run(["state", "rm", address])).toMatchObject({ status: 0 });
    stack.write([provider(), cluster("prod", { secure: "true" }), importing("prod", String(id)), ready(["prod"])]);
    expect(await stack.changes()).toEqual([`update ${address}`]);
  },
);

testOnPrograms(
  "a state has the identity of an object, with which a block imports it",
  async (stack) => {
    const named = (name: string) => [
      `resource "terraform_data" "name" {\n  input = "${name}"\n}\n`,
      provider(),
      cluster("prod", { name: "terraform_data.name.output" }),
    ];
    stack.write(named("first"));
    await stack.applied();
    // The name, and with it the identity, is unknown in this plan.
    stack.write(named("prod"));
    await stack.applied();
    const address = "clusterplatform_capvs_cluster.prod";
    const identified = { identity: { name: "prod" }, identity_schema_version: 0 };
    expect(stack.instances(address)).toEqual([expect.objectContaining(identified)]);
    expect(await stack.run(["state", "rm", address])).toMatchObject({ status: 0 });
    const writes = stack.writes();

    const byIdentity = (name: string) => `import {\n  to = ${address}\n  identity = { name = "${name}" }\n}\n`;
    stack.write([...named("prod"), byIdentity("other")]);
    expect(await stack.refused()).toMatch(/\[OBJECT_MISSING\].*cluster other cannot be imported: it is not on the service at/);
    stack.write([...named("prod"), byIdentity("prod")]);
    expect(await stack.applied()).toContain("1 imported, 0 added, 1 changed, 0 destroyed");
    expect(await stack.changes()).toEqual([]);
    expect(stack.writes()).toEqual(writes);
    expect(stack.instances(address)).toEqual([expect.objectContaining(identified)]);

    // The state of a version without identities, as another program leaves it.
    const file = join(stack.folder, "terraform.tfstate");
    const former = JSON.parse(stack.state()) as {
      resources: { instances: { identity?: unknown; identity_schema_version?: number }[] }[];
    };
    for (const instance of former.resources.flatMap(({ instances }) => instances)) {
      delete instance.identity;
      delete instance.identity_schema_version;
    }
    writeFileSync(file, JSON.stringify(former));
    expect(await stack.changes()).toEqual([]);
    stack.write(named("prod"));
    await stack.applied({ args: ["-refresh-only"] });
    expect(await stack.changes()).toEqual([]);
  },
  { some: programs.filter(({ binary }) => isAtLeast(binary, { terraform: 12, openTofu: 12 })) },
);
