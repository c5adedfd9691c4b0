import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { bundleHooks } from "./bundle-hooks.mjs";
import { bundlePlugin } from "./bundle-plugin.mjs";
import { pruneDeclarations } from "./prune-declarations.mjs";

/** With --clean, for publishing, removes the previous build first. */
if (process.argv.includes("--clean")) rmSync("dist", { recursive: true, force: true });
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
await bundleHooks("dist/hooks");
await bundlePlugin({ entry: "src/plugin/main.ts", folder: "dist/plugin", name: "clusterplatform", version });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
pruneDeclarations("dist", ["index.d.ts", "simulator/index.d.ts"]);
chmodSync("dist/cli/main.js", 0o755);
