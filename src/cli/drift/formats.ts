import { visible } from "../../util/printable";
import { type FormatName, gitlabReport, jsonReport } from "../report/formats";
import { details, fenced, htmlCode, list, markdown, RISK_MARKS, rowsTable } from "../report/markdown";
import { phrase, plain } from "../report/phrase";
import type { Row } from "../report/rows";
import { painter, rowLines, toText, underRow } from "../report/text";
import type { DriftFinding, DriftReport } from "./finding";
import { notePhrase, repairPhrase, summary, whyPhrase } from "./wording";

/** `coloured` says whether the text goes to a terminal that shows colours. */
export const FORMATS: Readonly<Record<FormatName, (report: DriftReport, coloured: boolean) => string>> = {
  text: driftText,
  markdown: driftMarkdown,
  json: (report) => jsonReport({ drift: report.findings.length > 0, ...report }),
  gitlab: ({ findings }) => {
    const count = (...drifts: string[]) => findings.filter(({ verdict }) => drifts.includes(verdict)).length;
    return gitlabReport({ create: count("MISSING"), update: count("CHANGED", "UNFINISHED"), delete: count("UNMANAGED") });
  },
};

function rowOf(finding: DriftFinding): Row {
  const { kind, name } = finding;
  return { ...finding, object: phrase`${plain(kind)} ${name}`, happens: plain(""), why: whyPhrase(finding) };
}

function isSeveral(findings: readonly DriftFinding[]): boolean {
  return new Set(findings.map(({ stack }) => stack).filter((stack) => stack !== null)).size > 1;
}

function driftText(report: DriftReport, coloured: boolean): string {
  const paint = painter(coloured);
  const several = isSeveral(report.findings);
  const lines = [paint("bold", summary(report))];
  for (const finding of report.findings) {
    const row = rowOf(finding);
    const object = several && row.stack !== null ? phrase`${row.object} (${row.stack})` : row.object;
    lines.push("", ...rowLines({ ...row, object }, paint));
    for (const repair of finding.repairs) {
      lines.push(underRow(`${toText(repairPhrase(repair, finding))}${repair.commands.length > 0 ? ":" : ""}`));
      lines.push(...repair.commands.map((command) => underRow(`  ${paint("cyan", visible(command))}`)));
    }
  }
  const notes = report.notes.map((note) => `note  ${toText(notePhrase(note))}`);
  return `${[...lines, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n")}\n`;
}

function driftMarkdown(report: DriftReport): string {
  const { findings, notes } = report;
  const sections = [
    `## ${findings.length === 0 ? "🟢" : RISK_MARKS[findings[0]!.risk]} ${summary(report)}`,
    ...(findings.length > 0 ? [rowsTable(findings.map(rowOf), isSeveral(findings))] : []),
    ...findings.filter(({ repairs }) => repairs.length > 0).map(repairSection),
    ...(notes.length > 0 ? [list(notes.map((note) => markdown(notePhrase(note))))] : []),
  ];
  return `${sections.join("\n\n")}\n`;
}

function repairSection(finding: DriftFinding): string {
  const steps = finding.repairs.map((repair) => {
    const what = markdown(repairPhrase(repair, finding));
    const sentence = what.charAt(0).toUpperCase() + what.slice(1);
    if (repair.commands.length === 0) return `${sentence}.`;
    return `${sentence}:\n\n${fenced(repair.commands.map((line) => visible(line)).join("\n"), "sh")}`;
  });
  return details(`Repair ${finding.kind} ${htmlCode(finding.name)}`, steps.join("\n\n"));
}
