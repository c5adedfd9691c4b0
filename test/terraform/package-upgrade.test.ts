import type { ChildProcess } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, type ZipOptions, zipSync } from "fflate";
import { Engine } from "../../src/constructs/engine";
import { launcherName, LOCK_FILE, pluginMirrorIn, thisSystem, zipName } from "../../src/contract/plugin-package";
import { backends, providerBackends } from "../support/tools";
import { hooksAt, killPlugins, killTerraform } from "./processes";
import type { StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

const NEXT = "0.99.0";

/** The stack as the next version of the package synthesizes it: with another hook program, or another version of the provider. */
function upgrade({ workspace: { stackFolder }, engine }: StackFixture): void {
  if (engine !== Engine.PROVIDER) {
    appendFileSync(join(stackFolder, "assets/cluster-platform-hooks/main.js"), "\n// The next version.\n");
    return;
  }
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const mirror = pluginMirrorIn(stackFolder);
  const files = unzipSync(readFileSync(join(mirror, zipName(version, thisSystem()))));
  const renamed = Object.entries(files).map(([name, data]): [string, [Uint8Array, ZipOptions]] => {
    const isLauncher = name === launcherName(version);
    return [isLauncher ? launcherName(NEXT) : name, [data, { os: 3, attrs: 0o100755 * 0x10000 }]];
  });
  for (const name of readdirSync(mirror)) rmSync(join(mirror, name));
  writeFileSync(join(mirror, zipName(NEXT, thisSystem())), zipSync(Object.fromEntries(renamed)));
  const stack = join(stackFolder, "cdk.tf.json");
  writeFileSync(stack, readFileSync(stack, "utf8").replace(`"version": "${version}"`, `"version": "${NEXT}"`));
  rmSync(join(stackFolder, LOCK_FILE));
}

testOn(inRest([...backends, ...providerBackends]))(
  "after an upgrade of the package, the next apply continues an interrupted one",
  async (fixture) => {
    const { simulator, workspace } = fixture;
    fixture.declare(["first"]);
    await fixture.applied();
    fixture.declare(["first", "second"]);
    let terraform: ChildProcess;
    simulator.onResponse = async ({ method }) => {
      if (method !== "POST") return;
      simulator.onResponse = undefined;
      const hooks = await hooksAt(simulator);
      await killTerraform(terraform, () => workspace.hasIntactState());
      if (fixture.engine === Engine.PROVIDER) await killPlugins(terraform);
      for (const { pid } of hooks) process.kill(pid, "SIGKILL");
    };
    expect(await workspace.apply({ started: (child) => (terraform = child) })).toMatchObject({ status: null });
    expect(fixture.live()).toEqual(["first", "second", "vsphere"]);
    const writes = fixture.writes();

    upgrade(fixture);
    expect(await fixture.converges()).toContain("second: ");
    expect(fixture.writes()).toEqual(writes);
    if (fixture.engine === Engine.PROVIDER)
      expect(workspace.synthesized().terraform.required_providers).toMatchObject({ clusterplatform: { version: NEXT } });
  },
);
