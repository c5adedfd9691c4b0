import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { tsImport } from "tsx/esm/api";
import { bundleHooks } from "./bundle-hooks.mjs";
import { bundlePlugin, packPlugin } from "./bundle-plugin.mjs";
import { copyForCdktn } from "./copy-for-cdktn.mjs";
import { pruneDeclarations } from "./prune-declarations.mjs";

/** With --clean, for publishing, removes the previous build first. */
if (process.argv.includes("--clean")) rmSync("dist", { recursive: true, force: true });
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
// Types take as long as all bundles, on one core.
const tsc = spawn(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
const compiled = once(tsc, "exit");
await bundleHooks("dist/hooks");
const { storedResponses } = await tsImport("../src/plugin/stored-responses.ts", import.meta.url);
const stored = storedResponses();
const folder = "dist/plugin";
await bundlePlugin({ entry: "src/plugin/main.ts", folder, name: "clusterplatform", version, stored });
const { packageHash: hashOf } = await tsImport("../src/contract/plugin-package.ts", import.meta.url);
packPlugin({ folder, zip: "dist/plugin.zip", version, hashOf });
const [status] = await compiled;
if (status !== 0) process.exit(1);
copyForCdktn("dist", ["index", "testing/index", "recognition/resynthesis"], "recognition/with-installed-cdk");
const entryPoints = ["index", "simulator/index", "testing/index", "cdktn/index", "cdktn/testing/index"];
pruneDeclarations(
  "dist",
  entryPoints.map((each) => `${each}.d.ts`),
);
chmodSync("dist/cli/main.js", 0o755);
