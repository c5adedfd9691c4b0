import { shownValues } from "../../report/changes";
import { counted, phrase, plain, type Phrase } from "../../report/phrase";
import { painter, type Paint, rowLines, STYLES, toText, underRow } from "../../report/text";
import { visible } from "../../../util/printable";
import type { ObjectFinding } from "../judge/finding";
import type { Risk } from "../../report/finding";
import type { Gate } from "../judge/gate";
import type { Note } from "../judge/note";
import { changedAndRest } from "../judge/other-resources";
import type { Review } from "../judge/review";
import { deniedBy, DEPENDENTS_SHOWN, type ReviewRow, ROWS_SHOWN, rowsOf } from "./rows";
import {
  atMost,
  capacityPhrase,
  counts,
  denialLines,
  dependentPhrase,
  gateName,
  lackOf,
  losses,
  meantPhrase,
  notePhrase,
  otherPhrase,
  summary,
} from "./wording";

/** Of notes, and of each kind of line about the policy. */
const LINES = 30;

export function reviewText(review: Review, gate: Gate, coloured: boolean): string {
  const paint = painter(coloured);
  const inRisk = (risk: Risk, text: string) => paint(STYLES[risk], text);
  const several = review.stacks.length > 1;
  const rows = rowsOf(review, gate);
  const lines: string[] = [];

  const headline = summary(review);
  lines.push(paint("bold", headline.charAt(0).toUpperCase() + headline.slice(1)));
  for (const sentence of losses(review)) lines.push(inRisk("critical", toText(sentence)));
  const capacity = capacityPhrase(review.findings);
  if (capacity !== undefined) lines.push(`In total: ${capacity}`);
  for (const stack of review.stacks) {
    const { name, counts: byVerdict, terraformVersion } = stack;
    const version = terraformVersion === null ? "" : ` (Terraform ${visible(terraformVersion)})`;
    lines.push(
      "",
      `${paint("bold", visible(name))}${paint("dim", version)}: ${counts(byVerdict)}${lackOf(stack) === undefined ? "" : `, ${lackOf(stack)}`}`,
    );
    const ofStack = rows.filter(({ stack }) => stack === name);
    for (const row of ofStack.slice(0, ROWS_SHOWN)) lines.push(...linesOf(row, paint));
    const left = ofStack.slice(ROWS_SHOWN).reduce((sum, { findings }) => sum + Math.max(findings.length, 1), 0);
    if (left > 0) lines.push(`  and ${left} more in the JSON report`);
    const { changed, unchanged } = changedAndRest(review.others.filter(({ stack }) => stack === name));
    for (const group of changed) {
      lines.push(`  ${visible(group.type)}: ${toText(otherPhrase(group))}`);
    }
    if (unchanged > 0) lines.push(paint("dim", `  ${counted(unchanged, "other resource")} unchanged`));
  }
  const denied = deniedBy(gate).notes;
  const { notes } = review;
  const mark = (note: Note) => (denied.has(note) ? paint("red", "denied") : inRisk(note.risk, "note"));
  const shown = notes.slice(0, LINES);
  if (notes.length > 0) lines.push("", ...shown.map((note) => `${mark(note)}  ${toText(notePhrase(note, several))}`));
  if (notes.length > LINES) lines.push(`and ${counted(notes.length - LINES, "more note")} in the JSON report`);
  lines.push(...gateLines(gate, review, several, paint));
  return `${lines.join("\n")}\n`;
}

function linesOf(row: ReviewRow, paint: Paint): string[] {
  const [finding] = row.findings;
  const left = row.dependents.length - DEPENDENTS_SHOWN;
  return [
    ...rowLines(row, paint),
    ...row.dependents.slice(0, DEPENDENTS_SHOWN).map((each) => {
      const { object, happens } = dependentPhrase(each);
      return underRow(`↳ ${toText(object)} ${happens}`);
    }),
    ...(left > 0 ? [underRow(`↳ and ${left} more`)] : []),
    ...(finding ? fieldLines(finding) : []).map((line) => paint("dim", underRow(line))),
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

function gateLines(gate: Gate, review: Review, several: boolean, paint: Paint): string[] {
  const marked = (mark: string, phrases: readonly Phrase[]) => atMost(phrases, LINES).map((each) => `${mark}  ${toText(each)}`);
  const allowed = gate.allowed.map(({ object, verdict, why }) => {
    return phrase`${object} ${plain(verdict)}${why === undefined ? plain("") : phrase` (${why})`}`;
  });
  const lines = [
    ...marked(
      paint("yellow", "unused"),
      gate.unused.map((entry) => phrase`${JSON.stringify(entry)}`),
    ),
    ...marked(paint("green", "allowed"), allowed),
    ...marked(paint("red", "denied"), denialLines(gate, several)),
    ...(gate.passed ? [] : [paint("red", `Denied (${gateName(gate)})`), toText(wayOut(gate, review))]),
  ];
  return lines.length > 0 ? ["", ...lines] : [];
}

function wayOut(gate: Gate, review: Review): Phrase {
  const meant = meantPhrase(gate, review);
  return meant ? phrase`If meant: ${meant}. If not: undo the change.` : plain("If not meant: undo the change.");
}
