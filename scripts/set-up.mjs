import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs dependencies and builds if needed, so that one command works on a fresh clone. Prints nothing if there is nothing to
 * do.
 */
const steps = [
  {
    say: "installing dependencies",
    needed: () => modified("node_modules/.package-lock.json") < modified("package-lock.json"),
    run: ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
  },
  {
    say: "building",
    needed: () => {
      const sources = [
        newest("src"),
        ...["bundle", "bundle-hooks", "bundle-plugin", "copy-for-cdktn"].map((name) => modified(`scripts/${name}.mjs`)),
      ];
      return Math.max(...sources) > Math.min(modified("dist/hooks/main.js"), modified("dist/plugin/main.cjs"));
    },
    run: ["npm", "run", "--silent", "build"],
  },
];

for (const { say, needed, run } of steps) {
  if (!needed()) continue;
  console.error(`${say} …`);
  execFileSync(run[0], run.slice(1), { stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" });
}

function modified(file) {
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

function newest(folder) {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
    }),
  );
}
