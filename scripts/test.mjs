import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import "./set-up.mjs";

/** Everything that must hold: types, style, and the tests, which apply with the real Terraform. */
const report = ".cache/test-report.json";
mkdirSync(".cache", { recursive: true });

run("types", "npm", ["run", "--silent", "types"]);
run("lint", "npm", ["run", "--silent", "lint"]);
const tests = step("npx", ["jest", "--json", `--outputFile=${report}`, ...process.argv.slice(2)]);

const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, "utf8"));
const failures = numFailedTests + numRuntimeErrorTestSuites;
console.log(`\n${numPassedTests} passed, ${failures} failed${numPendingTests ? `, ${numPendingTests} skipped` : ""}`);
process.exitCode = tests.status === 0 && failures === 0 && numPassedTests > 0 ? 0 : 1;

function run(name, command, args) {
  console.log(`${name} …`);
  if (step(command, args).status !== 0) process.exit(1);
}

function step(command, args) {
  return spawnSync(command, args, {
    stdio: "inherit",
    shell: process.platform === "win32",
    env: { ...process.env, CHECKPOINT_DISABLE: "1" },
  });
}
