import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cluster-platform-release-"));
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const OLD = "## 0.1.0 (2026-01-01)\n\nFirst version.\n";

/** Findings for a version and the first section of the changelog. `kept` lists the versions with kept state. */
function findings(version: string, section: string, options: { args?: string[]; kept?: string[] } = {}): string[] {
  const { args = [], kept = ["0.1.0", "1.4.2"] } = options;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
  writeFileSync(join(folder, "CHANGELOG.md"), `# Changelog\n\nWords.\n\n${section}`);
  for (const old of kept) mkdirSync(join(folder, "test/package/released", old), { recursive: true });
  const { stderr, status } = spawnSync(process.execPath, [resolve("scripts/release-rules.mjs"), ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  const lines = stderr.split("\n").filter((line) => line !== "");
  expect(status).toBe(lines.length > 0 ? 1 : 0);
  return lines;
}

test.each([
  ["a first version", "0.1.0", OLD],
  ["a fix", "0.1.1", `## 0.1.1 (2026-02-01)\n\n### Fixed\n\n- It.\n\n${OLD}`],
  ["an addition", "0.2.0", `## 0.2.0 (2026-02-01)\n\n### Added\n\n- It.\n\n${OLD}`],
  ["a break before 1.0", "0.2.0", `## 0.2.0 (2026-02-01)\n\n### Breaking\n\n- It.\n\n${OLD}`],
  ["a break after 1.0", "2.0.0", "## 2.0.0 (2026-02-01)\n\n### Breaking\n\n- It.\n\n## 1.4.2 (2026-01-01)\n\nOld.\n"],
])("%s may be released", (_, version, section) => {
  expect(findings(version, section)).toEqual([]);
});

test.each([
  ["no section", "0.2.0", OLD, "CHANGELOG.md: the first section must be the one of 0.2.0, got 0.1.0"],
  [
    "an empty section",
    "0.1.0",
    "## 0.1.0 (2026-01-01)\n",
    "CHANGELOG.md: the section of 0.1.0 must say what changed, got nothing",
  ],
  [
    "no date",
    "0.1.0",
    "## 0.1.0 (unreleased)\n\nFirst.\n",
    "CHANGELOG.md: 0.1.0 must have its date as (YYYY-MM-DD), got (unreleased)",
  ],
  [
    "an odd heading",
    "0.1.1",
    `## 0.1.1 (2026-02-01)\n\n### News\n\n- It.\n\n${OLD}`,
    "CHANGELOG.md: a heading of 0.1.1 must be one of Breaking, Added, Changed, Fixed, got News",
  ],
  [
    "an addition in a patch",
    "0.1.1",
    `## 0.1.1 (2026-02-01)\n\n### Added\n\n- It.\n\n${OLD}`,
    "package.json: 'version' must be at least 0.2.0, because CHANGELOG.md has a heading Added, got 0.1.1",
  ],
  [
    "a break in a patch",
    "0.1.1",
    `## 0.1.1 (2026-02-01)\n\n### Breaking\n\n- It.\n\n${OLD}`,
    "package.json: 'version' must be at least 0.2.0, because CHANGELOG.md has a heading Breaking, got 0.1.1",
  ],
  [
    "a break in a minor version",
    "1.5.0",
    "## 1.5.0 (2026-02-01)\n\n### Breaking\n\n- It.\n\n## 1.4.2 (2026-01-01)\n\nOld.\n",
    "package.json: 'version' must be at least 2.0.0, because CHANGELOG.md has a heading Breaking, got 1.5.0",
  ],
  ["a step back", "0.0.9", `## 0.0.9 (2026-02-01)\n\nIt.\n\n${OLD}`, "package.json: 'version' must be after 0.1.0, got 0.0.9"],
  ["a version that is none", "1.0", OLD, "package.json: 'version' must be <major>.<minor>.<patch>, got 1.0"],
])("%s may not be released", (_, version, section, finding) => {
  expect(findings(version, section)).toEqual([finding]);
});

test("an unfinished version is a candidate, and no release", () => {
  expect(findings("0.1.0", "## 0.1.0 (unreleased)\n\nFirst.\n", { args: ["--candidate"] })).toEqual([]);
});

test("the state of the previous version must be kept", () => {
  const section = `## 0.1.1 (2026-02-01)\n\n### Fixed\n\n- It.\n\n${OLD}`;
  expect(findings("0.1.1", section, { kept: [] })).toEqual([
    "test/package/released: the state of 0.1.0 must be kept there, got none",
  ]);
});

test("a version with a tag is not released again", () => {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
  execFileSync("git", [...identity, "commit", "--quiet", "--allow-empty", "-m", "first"], { cwd: folder });
  execFileSync("git", ["tag", "v0.1.0"], { cwd: folder });
  expect(findings("0.1.0", OLD)).toEqual(["git: the tag v0.1.0 exists already: use the next version"]);
});

test("this repository is a candidate for release at any time", () => {
  const { stderr } = spawnSync(process.execPath, ["scripts/release-rules.mjs", "--candidate"], { encoding: "utf8" });
  expect(stderr).toBe("");
});
