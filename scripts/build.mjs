import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { build } from "esbuild";

/** Compiles the library and the CLI, and bundles the hooks into the one file that a synthesized stack carries. */
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
await build({
  entryPoints: ["src/hooks/main.ts"],
  outfile: "dist/hooks/main.js",
  bundle: true,
  platform: "node",
  target: "node20.18",
  format: "cjs",
  minify: true,
  keepNames: true,
  legalComments: "linked",
  mainFields: ["module", "main"],
  logLevel: "warning",
});
chmodSync("dist/cli/main.js", 0o755);
