import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settings } from "../bad-input/hook";
import { execute } from "../terraform/workspace";

const folder = mkdtempSync(join(tmpdir(), "cluster-platform-self-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the self-test passes with all files of the bundle, and fails if one is missing", async () => {
  cpSync("dist/hooks", folder, { recursive: true });
  const env = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(undefined), NODE_OPTIONS: "" };
  const selfTest = () => execute(process.execPath, [join(folder, "main.js"), "self-test"], folder, env, {});
  expect(await selfTest()).toEqual({ status: 0, output: `The hook program runs, by Node ${process.versions.node}\n` });

  const passing: string[] = [];
  for (const file of readdirSync(folder).filter((name) => name !== "main.js")) {
    renameSync(join(folder, file), join(folder, "..", `${file}.away`));
    const { status } = await selfTest();
    if (status === 0) passing.push(file);
    renameSync(join(folder, "..", `${file}.away`), join(folder, file));
  }
  expect(passing).toEqual([]);
});
