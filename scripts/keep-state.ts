import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import setUp from "../test/support/global-setup.mjs";

/**
 * Writes the state that this version leaves in Terraform, for the tests of all later versions. Run it before a release,
 * whenever test/package/released-state.test.ts says that the layout changed, and never after the release.
 */
async function main(): Promise<void> {
  await setUp();
  const { Engine } = await import("../src/constructs/engine");
  const { engines } = await import("../test/support/tools");
  const { declareAll, everything, secretsOf } = await import("../test/package/released-state");
  const { startSimulator } = await import("../src/simulator");
  const { Workspace } = await import("../test/terraform/workspace");

  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const folder = resolve("test/package/released", version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const declared = everything();
  writeFileSync(join(folder, "declared.json"), `${JSON.stringify(declared, null, 2)}\n`);

  for (const engine of [...engines, Engine.PROVIDER]) {
    const stateFile = join(folder, "service.json");
    rmSync(stateFile, { force: true });
    const service = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, acceptUnknownFields: true, stateFile });
    const workspace = new Workspace({
      CLUSTER_PLATFORM_URL: service.url,
      CLUSTER_PLATFORM_TOKEN: service.token,
      ...secretsOf(declared),
    });
    try {
      workspace.synth((stack) => declareAll(stack, engine, declared));
      const { status, output } = await workspace.apply();
      if (status !== 0) throw new Error(output);
      // An older Terraform or OpenTofu refuses the state of a newer one.
      const state = { ...(JSON.parse(workspace.state()) as object), terraform_version: "1.5.0" };
      writeFileSync(join(folder, `${engine}.json`), `${JSON.stringify(state, null, 2)}\n`);
    } finally {
      workspace.remove();
      await service.close();
    }
    // The oldest possible date, so that no reader's clock is behind it.
    writeFileSync(stateFile, readFileSync(stateFile, "utf8").replace(/"createdAt":\d+/g, '"createdAt":0'), { mode: 0o644 });
    console.log(`kept ${join(folder, `${engine}.json`)}`);
  }
}

void main();
