import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleWorld } from "./bundle-world.mjs";

/**
 * Plays the versions of test/world/broken.json, each until the first finding. A finding counts only if the unbroken code violates
 * no rule with the same sequence.
 *
 * Arguments are names of versions. `--keep` writes the shortest sequence of each finding into test/world/broken. `--kept` plays
 * only these sequences. They stay when the draws change.
 */
const FILE = "test/world/broken.json";
const KEPT = "test/world/broken";

/** @returns the exit code */
export async function playBroken(args) {
  const { values, positionals: names } = parseArgs({
    args,
    options: { kept: { type: "boolean" }, keep: { type: "boolean" }, minutes: { type: "string", default: "1" } },
    allowPositionals: true,
  });
  const folder = mkdtempSync(join(tmpdir(), "broken-"));
  const report = join(folder, "found.json");
  const unbroken = await bundleWorld();
  const all = JSON.parse(readFileSync(FILE, "utf8"));
  let missed = 0;
  for (const version of all.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const began = performance.now();
    const broken = await bundleWorld(version);
    const found = values.kept ? keptOf(version, broken, unbroken, report) : findingOf(version, broken, unbroken, values, report);
    const seconds = Math.round((performance.now() - began) / 1000);
    if (!found) missed++;
    const how = found?.sequences === undefined ? "" : `with seed ${found.seed}, after ${found.sequences} sequences and `;
    console.log(`${found ? `found ${how}` : "NOT FOUND after "}${seconds} s: ${version.name}${found ? ` => ${found.rule}` : ""}`);
    if (found && values.keep) {
      const { rule, sequence } = found;
      const about = `Finds this broken version: ${version.name}`;
      writeFileSync(fileOf(version), `${JSON.stringify({ about, rule, sequence }, undefined, 2)}\n`);
    }
  }
  rmSync(folder, { recursive: true });
  return missed > 0 ? 1 : 0;
}

function fileOf({ name }) {
  return join(KEPT, `${name.replace(/[^a-z0-9]+/gi, "-")}.json`);
}

function keptOf(version, broken, unbroken, report) {
  if (!existsSync(fileOf(version))) return undefined;
  const finding = JSON.parse(readFileSync(fileOf(version), "utf8"));
  writeFileSync(report, JSON.stringify([{ findings: [finding] }]));
  return play(broken, ["--replay", report]) && !play(unbroken, ["--replay", report]) ? finding : undefined;
}

function findingOf(version, broken, unbroken, { keep, minutes }, report) {
  const { engine = "hooks", others = false, forecasts = false } = version;
  const first = Date.now() % 1_000_000_000;
  const started = performance.now();
  const scope = ["--engine", engine, ...(others ? ["--others"] : []), ...(forecasts ? ["--forecasts"] : [])];
  const how = ["--near", "--leave-out", fileOf(version), "--first", ...(keep ? [] : ["--no-shrink"]), "--json", report];
  for (let next = first; ;) {
    rmSync(report, { force: true });
    const left = minutes - (performance.now() - started) / 60_000;
    if (!play(broken, [...scope, "--seed", String(next), "--minutes", String(left), ...how])) return undefined;
    const [{ findings }] = JSON.parse(readFileSync(report, "utf8"));
    if (!play(unbroken, ["--replay", report])) return { ...findings[0], sequences: findings[0].seed - first + 1 };
    next = findings[0].seed + 1;
  }
}

/** Whether a rule was violated. */
function play(bundle, args) {
  try {
    execFileSync(process.execPath, ["--require", "./test/support/no-stack-traces-preload.cjs", bundle, ...args], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    return false;
  } catch (error) {
    if (error.status === 1) return true;
    throw error;
  }
}
