import { code, details, htmlCode, list, markdown, table } from "../report/markdown";
import { visible } from "../../util/printable";
import type { Drift, DriftFinding, DriftReport } from "./finding";
import { describeDrift, notePhrases, recreateAllPhrase, repairPhrase, summary, twicePhrase } from "./wording";

const MARKS: Readonly<Record<Drift, string>> = {
  MISSING: "🔴",
  LEAVING: "🔴",
  CHANGED: "🟠",
  UNFINISHED: "🟠",
  "NOT-READY": "🟡",
  UNMANAGED: "🔵",
};

export function driftMarkdown(report: DriftReport): string {
  const { findings, recreateAll, declaredTwice } = report;
  const sections = [`## ${findings.length === 0 ? "🟢" : MARKS[findings[0]!.drift]} ${summary(report)}`];
  if (findings.length > 0)
    sections.push(driftTable(findings), ...findings.filter(({ repairs }) => repairs.length > 0).map(repairSection));
  for (const { state, command } of recreateAll)
    sections.push(`To ${markdown(recreateAllPhrase(state))}:\n\n${commands([command])}`);
  const notes = notePhrases(report);
  if (notes.length > 0) sections.push(list(notes.map(markdown)));
  if (declaredTwice.length > 0) sections.push(list(declaredTwice.map((twice) => markdown(twicePhrase(twice)))));
  return `${sections.join("\n\n")}\n`;
}

function driftTable(findings: readonly DriftFinding[]): string {
  const several = new Set(findings.map(({ state }) => state).filter((state) => state !== null)).size > 1;
  return table(
    ["Drift", ...(several ? ["State"] : []), "Object", "Drift"],
    findings.map((finding) => [
      `${MARKS[finding.drift]} ${finding.drift}`,
      ...(several ? [finding.state === null ? "none" : code(finding.state)] : []),
      `${code(finding.type)} ${finding.kind} ${code(finding.name)}`,
      markdown(describeDrift(finding)),
    ]),
  );
}

function repairSection(finding: DriftFinding): string {
  const steps = finding.repairs.map((repair) => {
    const what = markdown(repairPhrase(repair, finding));
    const sentence = what.charAt(0).toUpperCase() + what.slice(1);
    return repair.commands.length > 0 ? `${sentence}:\n\n${commands(repair.commands)}` : `${sentence}.`;
  });
  return details(`Repair ${finding.kind} ${htmlCode(finding.name)}`, steps.join("\n\n"));
}

function commands(lines: readonly string[]): string {
  const text = lines.map((line) => visible(line)).join("\n");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}sh\n${text}\n${fence}`;
}
