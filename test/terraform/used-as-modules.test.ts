import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../../src/constructs/engine";
import { backends, providerBackend } from "../support/tools";
import { succeeded, type StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";
import type { Workspace } from "./workspace";

/** The folder of the synthesized stack becomes the source of modules. */
function useAsModules({ workspace }: StackFixture, names: readonly string[]): void {
  const file = join(workspace.stackFolder, "cdk.tf.json");
  const { terraform, ...stack } = JSON.parse(readFileSync(file, "utf8")) as { terraform: { backend: object } };
  const { backend, ...needs } = terraform;
  mkdirSync(join(workspace.stackFolder, "stack"), { recursive: true });
  writeFileSync(join(workspace.stackFolder, "stack/cdk.tf.json"), JSON.stringify({ ...stack, terraform: needs }));
  const module = Object.fromEntries(names.map((name) => [name, { source: "./stack" }]));
  writeFileSync(file, JSON.stringify({ terraform: { ...needs, backend }, module }));
}

/** The module whose instances include the cluster. */
function ownerIn(workspace: Workspace): string | undefined {
  const { resources } = JSON.parse(workspace.state()) as { resources: { module: string; type: string; name: string }[] };
  return resources.find(({ type, name }) => `${type} ${name}`.includes("capvs_cluster"))?.module;
}

testOn(inRest([...backends, providerBackend]))(
  "a stack that is the source of two modules creates its objects for one of them, and the removal of the other deletes nothing",
  async (fixture) => {
    const { workspace } = fixture;
    fixture.declare(["prod"]);
    useAsModules(fixture, ["a", "b"]);
    // Terraform creates the provider of one module directly after that of the other one.
    const refused = await fixture.failed({ args: ["-parallelism=1"] });
    expect(refused).toContain("capvs provider vsphere is declared twice");
    expect(refused).toContain("or of one with count or for_each: keep one");
    expect(await fixture.failed()).toContain("the service already has capvs provider vsphere");

    const [owner, other] = ownerIn(workspace) === "module.a" ? ["a", "b"] : ["b", "a"];
    // With the provider, the state has nothing of the refused module.
    if (fixture.engine !== Engine.PROVIDER) succeeded(await workspace.run(["state", "rm", `module.${other}`]));
    fixture.declare(["prod"]);
    useAsModules(fixture, [owner]);
    succeeded(await workspace.run(["init", "-input=false"]));
    await fixture.converges();
    expect(fixture.happened()).toEqual(["+vsphere", "+prod"]);
  },
);
