import { spawnSync } from "node:child_process";
import { releaseFindings } from "./release-rules.mjs";

/** With --candidate, the version need not have a date yet. */
const steps = [
  ["build", [process.execPath, "scripts/build.mjs", "--clean"]],
  ["types", [process.execPath, "node_modules/typescript/bin/tsc", "--noEmit"]],
  ["tarball", [process.execPath, "node_modules/jest/bin/jest.js", "test/package"]],
];

const findings = releaseFindings(process.cwd(), { candidate: process.argv.includes("--candidate") });
for (const finding of findings) console.error(`✘ ${finding}`);
if (findings.length === 0) console.log("✔ version and changelog");

const failed = steps.filter(([name, [command, ...args]]) => {
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  console.log(`${status === 0 ? "✔" : "✘"} ${name}`);
  return status !== 0;
});

process.exitCode = findings.length === 0 && failed.length === 0 ? 0 : 1;
console.log(process.exitCode === 0 ? "fit to publish" : "not fit to publish");
