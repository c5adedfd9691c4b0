import { painter } from "../report/paint";
import { written, type Phrase } from "../report/phrase";
import { visible } from "../../util/printable";
import type { Drift, DriftReport } from "./finding";
import { describeDrift, notePhrases, recreateAllPhrase, repairPhrase, summary, twicePhrase } from "./wording";

export function driftText(report: DriftReport, coloured: boolean): string {
  const paint = painter(coloured);
  const lines = [paint("bold", summary(report))];
  for (const finding of report.findings) {
    const { drift, type, kind, name, state, repairs } = finding;
    const where = state === null ? "" : paint("dim", ` (${visible(state)})`);
    lines.push(
      "",
      `${paint(STYLES[drift], drift.padEnd(10))} ${type} ${kind} ${paint("bold", visible(name))}${where}: ${toText(describeDrift(finding))}`,
    );
    for (const repair of repairs) {
      lines.push(`           ${toText(repairPhrase(repair, finding))}${repair.commands.length > 0 ? ":" : ""}`);
      lines.push(...repair.commands.map((command) => `             ${paint("cyan", visible(command))}`));
    }
  }
  for (const { state, command } of report.recreateAll)
    lines.push("", `To ${toText(recreateAllPhrase(state))}:`, `  ${paint("cyan", visible(command))}`);
  if (report.declaredTwice.length > 0)
    lines.push("", ...report.declaredTwice.map((twice) => `note  ${toText(twicePhrase(twice))}`));
  const notes = notePhrases(report);
  if (notes.length > 0) lines.push("", ...notes.map((note) => `note  ${toText(note)}`));
  return `${lines.join("\n")}\n`;
}

const STYLES: Readonly<Record<Drift, "red" | "yellow" | "magenta" | "cyan">> = {
  MISSING: "red",
  LEAVING: "red",
  CHANGED: "red",
  UNFINISHED: "magenta",
  "NOT-READY": "yellow",
  UNMANAGED: "cyan",
};

function toText(phrase: Phrase): string {
  return written(phrase, visible);
}
