import { painter, type Paint } from "../../report/paint";
import { counted, listed, written, type Phrase } from "../../report/phrase";
import { visible } from "../../../model/printable";
import type { ObjectFinding, Risk } from "../judge/finding";
import type { Gate } from "../judge/gate";
import { changedAndRest } from "../judge/other-resources";
import type { Review } from "../judge/review";
import { counts, denialPhrase, describeVerdict, losses, notePhrase, otherCounts, reasons, shownValues, summary } from "./wording";

/** The review for a person at a terminal. */
export function reviewText(review: Review, gate: Gate, coloured: boolean): string {
  const paint = painter(coloured);
  const inRisk = (risk: Risk, text: string) => paint(STYLES[risk], text);
  const several = review.stacks.length > 1;
  const lines: string[] = [];

  const headline = summary(review);
  lines.push(paint("bold", headline.charAt(0).toUpperCase() + headline.slice(1)));
  for (const sentence of losses(review, 10)) lines.push(inRisk("critical", said(sentence)));
  for (const { name, counts: byVerdict, complete, terraformVersion } of review.stacks) {
    const version = terraformVersion === null ? "" : ` (${visible(terraformVersion)})`;
    lines.push(
      "",
      `${paint("bold", visible(name))}${paint("dim", version)}: ${counts(byVerdict)}${complete ? "" : ", incomplete plan"}`,
    );
    const affected = review.findings.filter((finding) => finding.stack === name && finding.verdict !== "UNCHANGED");
    for (const finding of affected) lines.push(...findingLines(finding, inRisk, paint));
    const { changed, unchanged } = changedAndRest(review.others.filter(({ stack }) => stack === name));
    for (const group of changed) {
      const deleted = group.deleted.length > 0 ? `: ${said(listed(group.deleted, 3))}` : "";
      lines.push(`  ${visible(group.type)}: ${otherCounts(group)}${deleted}`);
    }
    if (unchanged > 0) lines.push(paint("dim", `  ${counted(unchanged, "other resource")} unchanged`));
  }
  if (review.notes.length > 0)
    lines.push("", ...review.notes.map((note) => `${inRisk(note.risk, "note")}  ${said(notePhrase(note, several))}`));
  lines.push(...gateLines(gate, several, paint));
  return `${lines.join("\n")}\n`;
}

function findingLines(finding: ObjectFinding, inRisk: (risk: Risk, text: string) => string, paint: Paint): string[] {
  const { verdict, risk, type, kind, name } = finding;
  const object = `${type} ${kind} ${paint("bold", visible(name))}`;
  return [
    `  ${inRisk(risk, verdict.padEnd(10))} ${object}: ${describeVerdict(finding)}`,
    `             ${said(reasons(finding))}`,
    ...fieldLines(finding).map((line) => paint("dim", `             ${line}`)),
  ];
}

/** All fields where the reason names only some of them; of what is new, the code itself says them. */
function fieldLines(finding: ObjectFinding): string[] {
  if (finding.verdict === "CREATE") return [];
  const changes = finding.changes();
  if (changes.length < 2 || changes.every(({ before, hidden }) => before === null && !hidden)) return [];
  return changes.map((change) => {
    const { before, after } = shownValues(change, 120);
    return `${visible(change.field)}: ${said(before)} → ${said(after)}`;
  });
}

function gateLines({ failOn, passed, denials, allowed }: Gate, several: boolean, paint: Paint): string[] {
  const lines = allowed.map(
    ({ object, verdict, why }) => `${paint("green", "allowed")}  ${visible(object)} ${verdict}${why ? ` (${visible(why)})` : ""}`,
  );
  if (passed) return lines.length > 0 ? ["", ...lines] : [];
  const denied = denials.map((denial) => `${paint("red", "denied")}  ${said(denialPhrase(denial, several))}`);
  return ["", ...lines, ...denied, paint("red", `Denied (fail-on ${failOn})`)];
}

const STYLES = { critical: "red", high: "magenta", medium: "yellow", low: "green", none: "dim" } as const;

function said(phrase: Phrase): string {
  return written(phrase, visible);
}
