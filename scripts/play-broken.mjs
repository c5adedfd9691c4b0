import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleWorld } from "./bundle-world.mjs";

/**
 * Plays the versions of test/world/broken.json, each until the first finding. A finding counts only if the unbroken code violates
 * no rule with the same sequence.
 *
 * Arguments are names of versions. `--kept` plays the versions that have a seed, begins with it, and gives each a number of
 * sequences instead of a minute (`--minutes`). `--keep` writes the seeds that have found something into broken.json.
 */
const FILE = "test/world/broken.json";
const KEPT_SEQUENCES = 4_000;

/** @returns the exit code */
export async function playBroken(args) {
  const { values, positionals: names } = parseArgs({
    args,
    options: { kept: { type: "boolean" }, keep: { type: "boolean" }, minutes: { type: "string", default: "1" } },
    allowPositionals: true,
  });
  const folder = mkdtempSync(join(tmpdir(), "broken-"));
  const unbroken = await bundleWorld();
  const all = JSON.parse(readFileSync(FILE, "utf8"));
  let missed = 0;
  const isMeant = ({ name, seed }) => (names.length === 0 || names.includes(name)) && (!values.kept || seed !== undefined);
  for (const version of all.filter(isMeant)) {
    const began = performance.now();
    const found = findingOf(await bundleWorld(version), unbroken, version, values, join(folder, "found.json"));
    const seconds = Math.round((performance.now() - began) / 1000);
    if (!found) missed++;
    console.log(
      `${found ? `found with seed ${found.seed}, after ${found.sequences} sequences and` : "NOT FOUND after"} ${seconds} s: ${version.name}${found ? ` => ${found.rule}` : ""}`,
    );
    if (found && values.keep) {
      version.seed = found.seed;
      writeFileSync(FILE, `${JSON.stringify(all, undefined, 2)}\n`);
    }
  }
  rmSync(folder, { recursive: true });
  return missed > 0 ? 1 : 0;
}

function findingOf(
  broken,
  unbroken,
  { engine = "hooks", others = false, forecasts = false, seed = 1 },
  { kept, minutes },
  report,
) {
  const first = kept ? seed : Date.now() % 1_000_000_000;
  const started = performance.now();
  const rest = (next) =>
    kept
      ? ["--minutes", "Infinity", "--sequences", String(first + KEPT_SEQUENCES - next)]
      : ["--minutes", String(minutes - (performance.now() - started) / 60_000)];
  const scope = ["--engine", engine, ...(others ? ["--others"] : []), ...(forecasts ? ["--forecasts"] : [])];
  for (let next = first; ;) {
    rmSync(report, { force: true });
    const isFound = play(broken, [...scope, "--seed", String(next), ...rest(next), "--first", "--no-shrink", "--json", report]);
    if (!isFound) return undefined;
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
