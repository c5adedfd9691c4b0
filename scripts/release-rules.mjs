import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * All broken rules about the version and the changelog.
 *
 * @param {string} folder with package.json and CHANGELOG.md
 * @param {{ candidate?: boolean }} options candidate: the version may be marked as unreleased
 * @returns {string[]}
 */
export function releaseFindings(folder, { candidate = false } = {}) {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [latest, previous] = sectionsOf(readFileSync(join(folder, "CHANGELOG.md"), "utf8"));
  if (!parse(version)) return [`package.json: 'version' must be <major>.<minor>.<patch>, got ${version}`];
  if (latest?.version !== version) {
    return [`CHANGELOG.md: the first section must be the one of ${version}, got ${latest?.version ?? "none"}`];
  }
  const findings = [];
  if (latest.text === "") findings.push(`CHANGELOG.md: the section of ${version} must say what changed, got nothing`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(latest.date) && !(candidate && latest.date === "unreleased")) {
    findings.push(`CHANGELOG.md: ${version} must have its date as (YYYY-MM-DD), got (${latest.date})`);
  }
  for (const heading of latest.headings.filter((heading) => !HEADINGS.includes(heading))) {
    findings.push(`CHANGELOG.md: a heading of ${version} must be one of ${HEADINGS.join(", ")}, got ${heading}`);
  }
  if (previous) findings.push(...bumpFindings(previous.version, latest));
  if (previous && !existsSync(join(folder, "test/package/released", previous.version))) {
    findings.push(`test/package/released: the state of ${previous.version} must be kept there, got none`);
  }
  if (!candidate && tagsOf(folder).includes(`v${version}`)) {
    findings.push(`git: the tag v${version} exists already: use the next version`);
  }
  return findings;
}

const HEADINGS = ["Breaking", "Added", "Changed", "Fixed"];

/** Before 1.0, a minor version may break. */
function bumpFindings(previous, { version, headings }) {
  const [before, now] = [parse(previous), parse(version)];
  const step = [0, 1, 2].find((part) => now[part] !== before[part]);
  if (step === undefined || now[step] < before[step])
    return [`package.json: 'version' must be after ${previous}, got ${version}`];
  const needed = headings.includes("Breaking") ? (before[0] === 0 ? 1 : 0) : headings.includes("Added") ? 1 : 2;
  if (step <= needed) return [];
  const next = before.map((part, index) => (index < needed ? part : index === needed ? part + 1 : 0)).join(".");
  const why = needed === 2 ? "" : `, because CHANGELOG.md has a heading ${headings.includes("Breaking") ? "Breaking" : "Added"}`;
  return [`package.json: 'version' must be at least ${next}${why}, got ${version}`];
}

/** Newest first. Each begins with a line such as `## 1.2.3 (2026-01-31)`. */
function sectionsOf(changelog) {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [, version = "", date = ""] = /^(\S+)(?: \((.*)\))?/.exec(section);
      return {
        version,
        date,
        text: section.split("\n").slice(1).join("\n").trim(),
        headings: [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading),
      };
    });
}

function parse(version) {
  return /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number);
}

function tagsOf(folder) {
  return execFileSync("git", ["tag", "--list"], { cwd: folder, encoding: "utf8" }).split("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = releaseFindings(process.cwd(), { candidate: process.argv.includes("--candidate") });
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
