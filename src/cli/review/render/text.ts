import { painter, type Paint } from "../../report/paint";
import { counted, written, type Phrase } from "../../report/phrase";
import { visible } from "../../../util/printable";
import type { ObjectFinding, Risk } from "../judge/finding";
import type { Gate } from "../judge/gate";
import type { Note } from "../judge/note";
import { changedAndRest } from "../judge/other-resources";
import type { Review } from "../judge/review";
import { deniedBy, DEPENDENTS_SHOWN, type Row, ROWS_SHOWN, rowsOf } from "./rows";
import {
  capacityPhrase,
  counts,
  denialLines,
  dependentPhrase,
  gateName,
  lackOf,
  losses,
  notePhrase,
  otherPhrase,
  ONLY_IN_JSON,
  shownValues,
  summary,
} from "./wording";

export function reviewText(review: Review, gate: Gate, coloured: boolean): string {
  const paint = painter(coloured);
  const inRisk = (risk: Risk, text: string) => paint(STYLES[risk], text);
  const several = review.stacks.length > 1;
  const rows = rowsOf(review, gate);
  const lines: string[] = [];

  const headline = summary(review);
  lines.push(paint("bold", headline.charAt(0).toUpperCase() + headline.slice(1)));
  for (const sentence of losses(review, 10)) lines.push(inRisk("critical", toText(sentence)));
  const capacity = capacityPhrase(review.findings);
  if (capacity !== undefined) lines.push(`In total: ${capacity}`);
  for (const stack of review.stacks) {
    const { name, counts: byVerdict, terraformVersion } = stack;
    const version = terraformVersion === null ? "" : ` (${visible(terraformVersion)})`;
    lines.push(
      "",
      `${paint("bold", visible(name))}${paint("dim", version)}: ${counts(byVerdict)}${lackOf(stack) === undefined ? "" : `, ${lackOf(stack)}`}`,
    );
    const ofStack = rows.filter(({ stack }) => stack === name);
    for (const row of ofStack.slice(0, ROWS_SHOWN)) lines.push(...rowLines(row, inRisk, paint));
    const left = ofStack.slice(ROWS_SHOWN).reduce((sum, { findings }) => sum + Math.max(findings.length, 1), 0);
    if (left > 0) lines.push(`  and ${left} more in the JSON report`);
    const { changed, unchanged } = changedAndRest(review.others.filter(({ stack }) => stack === name));
    for (const group of changed) {
      lines.push(`  ${visible(group.type)}: ${toText(otherPhrase(group))}`);
    }
    if (unchanged > 0) lines.push(paint("dim", `  ${counted(unchanged, "other resource")} unchanged`));
  }
  const denied = deniedBy(gate).notes;
  const notes = review.notes.filter(({ code }) => !ONLY_IN_JSON.has(code));
  const mark = (note: Note) => (denied.has(note) ? paint("red", "denied") : inRisk(note.risk, "note"));
  if (notes.length > 0) lines.push("", ...notes.map((note) => `${mark(note)}  ${toText(notePhrase(note, several))}`));
  lines.push(...gateLines(gate, several, paint));
  return `${lines.join("\n")}\n`;
}

function rowLines(row: Row, inRisk: (risk: Risk, text: string) => string, paint: Paint): string[] {
  const [finding] = row.findings;
  const denied = row.denied ? ` ${paint("red", "denied")}` : "";
  return [
    `  ${inRisk(row.risk, row.verdict.padEnd(10))} ${toText(row.object)}: ${toText(row.happens)}${denied}`,
    `             ${toText(row.why)}`,
    ...row.dependents.slice(0, DEPENDENTS_SHOWN).map((each) => {
      const { object, happens } = dependentPhrase(each);
      return `             ↳ ${toText(object)} ${happens}`;
    }),
    ...(row.dependents.length > DEPENDENTS_SHOWN ? [`             ↳ and ${row.dependents.length - DEPENDENTS_SHOWN} more`] : []),
    ...(finding ? fieldLines(finding) : []).map((line) => paint("dim", `             ${line}`)),
  ];
}

/** All changed fields, if the reason names only some of them. A new object shows none: the code has its fields. */
function fieldLines(finding: ObjectFinding): string[] {
  if (finding.verdict === "CREATE") return [];
  const changes = finding.changes();
  if (changes.length < 2 || changes.every(({ before, hidden }) => before === null && !hidden)) return [];
  return changes.map((change) => {
    const { before, after } = shownValues(change, 120);
    return `${visible(change.field)}: ${toText(before)} → ${toText(after)}`;
  });
}

function gateLines(gate: Gate, several: boolean, paint: Paint): string[] {
  const lines = gate.allowed.map(
    ({ object, verdict, why }) => `${paint("green", "allowed")}  ${visible(object)} ${verdict}${why ? ` (${visible(why)})` : ""}`,
  );
  if (gate.passed) return lines.length > 0 ? ["", ...lines] : [];
  const denied = denialLines(gate, several).map((line) => `${paint("red", "denied")}  ${toText(line)}`);
  return ["", ...lines, ...denied, paint("red", `Denied (${gateName(gate)})`)];
}

const STYLES = { critical: "red", high: "magenta", medium: "yellow", low: "green", none: "dim" } as const;

function toText(phrase: Phrase): string {
  return written(phrase, visible);
}
