import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { bundleHooks } from "./bundle-hooks.mjs";
import { pruneDeclarations } from "./prune-declarations.mjs";

/**
 * Bundles the hooks into the few files that a synthesized stack carries, and compiles the library and the CLI. With
 * --clean, for publishing, nothing of an earlier build stays.
 */
if (process.argv.includes("--clean")) rmSync("dist", { recursive: true, force: true });
await bundleHooks("dist/hooks");
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
pruneDeclarations("dist", ["index.d.ts", "simulator/index.d.ts"]);
chmodSync("dist/cli/main.js", 0o755);
