import { shownValues } from "../../report/changes";
import { code, DENIED, details, list, markdown, RISK_MARKS, rowsTable, table } from "../../report/markdown";
import { counted, phrase, plain } from "../../report/phrase";
import { isAffected, type ObjectFinding } from "../judge/finding";
import { type Risk, RISKS } from "../../report/finding";
import type { Gate } from "../judge/gate";
import { changedAndRest, inTotal } from "../judge/other-resources";
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
  otherCounts,
  otherPhrase,
  headlinePhrase,
  summary,
} from "./wording";

export interface MarkdownOptions {
  /** Distinguishes several reviews of a pull request: letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** In bytes of UTF-8. */
  readonly maxBytes: number;
  /** The commit that the policies were read from. */
  readonly policyCommit?: string;
  /** The reviewed commit and the URL of the run, for the end of the comment. */
  readonly origin?: { readonly commit?: string; readonly url?: string };
}

/** The smallest `maxBytes` with room for the headline, the losses and some rows. */
export const LEAST_BYTES = 4_000;

/** Limits for names and for list entries. The rest is only counted. */
const NAMED = 10;
const LISTED = 30;
const VALUE_CHARACTERS = 200;

/** The first line of a comment, which is invisible and identifies the comment for an update. */
export function marker(id: string): string {
  return `<!-- cluster-platform review v1 id=${id} -->`;
}

/** What is left out, one after another, until the text is short enough. */
const SHEDDING = [
  "unchanged objects",
  "fields",
  "the list of other resources",
  "the lists of stacks, denials and notes",
  "names of lost clusters",
  "rows",
] as const;

interface Extent {
  readonly without: readonly (typeof SHEDDING)[number][];
  readonly rows: number;
}

function* extents(): Generator<Extent> {
  for (const [count] of SHEDDING.entries()) yield { without: SHEDDING.slice(0, count), rows: ROWS_SHOWN };
  for (let rows = ROWS_SHOWN - 1; rows > 0; rows--) yield { without: SHEDDING, rows };
}

const hasLists = ({ without }: Extent) => !without.includes("the lists of stacks, denials and notes");

export function reviewMarkdown(review: Review, gate: Gate, options: MarkdownOptions): string {
  const page: Page = { review, gate, options, rows: rowsOf(review, gate) };
  for (const extent of extents()) {
    const text = compose(page, extent);
    if (Buffer.byteLength(text) <= options.maxBytes) return text;
  }
  const texts = [headlineOnly(review, gate, options, caution(review, NAMED)), headlineOnly(review, gate, options)];
  return texts.find((each) => Buffer.byteLength(each) <= options.maxBytes) ?? texts.at(-1)!;
}

interface Page {
  readonly review: Review;
  readonly gate: Gate;
  readonly options: MarkdownOptions;
  readonly rows: readonly ReviewRow[];
}

/** The report if the names are so long that not even a few rows fit. */
function headlineOnly(review: Review, gate: Gate, { id, maxBytes }: MarkdownOptions, lost?: string): string {
  const count = (risk: Risk) => review.findings.filter((finding) => finding.risk === risk).length;
  const risks = RISKS.slice(1)
    .toReversed()
    .map((risk) => `${count(risk)} of ${risk} risk`);
  const rest = `No room for more in ${maxBytes} bytes: ${risks.join(", ")}; the JSON report has everything.`;
  const words = lost === undefined ? summary(review) : undefined;
  const sections = [`${marker(id)}\n## ${headline(review, gate, words)}`, ...(lost === undefined ? [] : [lost]), rest];
  return `${sections.join("\n\n")}\n`;
}

function compose(page: Page, extent: Extent): string {
  const { review, gate, options } = page;
  const { without } = extent;
  const sections = [
    `${marker(options.id)}\n## ${headline(review, gate)}`,
    caution(review, without.includes("names of lost clusters") ? NAMED : Infinity),
    capacityLine(review),
    stackLines(review, extent),
    rowsSection(page, extent),
    gateSection(page, extent),
    notesSection(page, extent),
    othersSection(review, extent),
    without.includes("fields") ? undefined : fieldsSection(page),
    without.includes("unchanged objects") ? undefined : unchangedSection(review),
    footer(page, without),
  ];
  return `${sections.filter((section) => section !== undefined).join("\n\n")}\n`;
}

function headline(review: Review, gate: Gate, words = markdown(headlinePhrase(review))): string {
  if (!gate.passed) return `${DENIED} Denied: ${words}`;
  const risks = [review.findings[0], review.settings[0], review.notes[0]].map((worst) => worst?.risk ?? "none");
  const mark = RISK_MARKS[RISKS.findLast((risk) => risks.includes(risk))!];
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return `${mark} ${sentence}${gate.allowed.length > 0 ? " (allowed by the policy)" : ""}`;
}

function caution(review: Review, names: number): string | undefined {
  const sentences = losses(review, names).map(markdown);
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

function capacityLine({ findings }: Review): string | undefined {
  const capacity = capacityPhrase(findings);
  return capacity === undefined ? undefined : `**In total**: ${capacity}`;
}

/** Undefined for a single stack: the headline has its counts. */
function stackLines({ stacks }: Review, extent: Extent): string | undefined {
  if (stacks.length === 1) return undefined;
  if (!hasLists(extent)) {
    const lacks = [...new Set(stacks.flatMap((stack) => lackOf(stack) ?? []))];
    const numbers = lacks.map((lack) => counted(stacks.filter((stack) => lackOf(stack) === lack).length, lack));
    return counted(stacks.length, "stack") + numbers.map((text) => `, **${text}**`).join("");
  }
  const lines = stacks.map((stack) => {
    const lack = lackOf(stack);
    return `${code(stack.name)}: ${counts(stack.counts)}${lack === undefined ? "" : `, **${lack}**`}`;
  });
  const shown = lines.slice(0, LISTED);
  if (lines.length > LISTED) shown.push(`and ${counted(lines.length - LISTED, "more stack")}`);
  return list(shown);
}

const isSeveral = ({ stacks }: Review) => stacks.length > 1;

function rowsSection({ review, rows }: Page, extent: Extent): string | undefined {
  if (rows.length === 0) return undefined;
  const several = isSeveral(review);
  const [shown, left] = [rows.slice(0, extent.rows), rows.slice(extent.rows)];
  const rest = RISKS.toReversed()
    .map((risk) => [risk, countOf(left.filter((row) => row.risk === risk))] as const)
    .filter(([, count]) => count > 0)
    .map(([risk, count]) => `${RISK_MARKS[risk]} **${count} more** of ${risk === "none" ? "no" : risk} risk`);
  const rowed = rowsTable(shown, several, (row) => dependentLines(row, several));
  return [rowed, ...(rest.length > 0 ? [rest.join(", ")] : [])].join("\n\n");
}

function dependentLines({ dependents }: ReviewRow, several: boolean): string[][] {
  const line = (object: string, happens: string) => [UNDER, ...(several ? [""] : []), object, happens, ""];
  const left = dependents.length - DEPENDENTS_SHOWN;
  return [
    ...dependents.slice(0, DEPENDENTS_SHOWN).map((each) => {
      const { object, happens } = dependentPhrase(each);
      return line(markdown(object), happens);
    }),
    ...(left > 0 ? [line(`and ${counted(left, "more resource")}`, "go with it")] : []),
  ];
}

const UNDER = "↳";

function countOf(rows: readonly ReviewRow[]): number {
  return rows.reduce((sum, { findings }) => sum + Math.max(findings.length, 1), 0);
}

/** What to do, and the denials that no row shows. */
function gateSection({ gate, review }: Page, extent: Extent): string | undefined {
  const lists = hasLists(extent);
  const { denials, allowed, unused } = gate;
  const several = isSeveral(review);
  const parts: string[] = denials.length > 0 ? [wayOut(gate, review)] : [];
  const lines = denialLines(gate, several).map(markdown);
  if (lines.length > 0) {
    const shown = lists ? lines.slice(0, NAMED) : [];
    if (lines.length > shown.length) shown.push(`**${lines.length - shown.length} more**`);
    parts.push(`**Also denied** (${gateName(gate)}):\n\n${list(shown)}`);
  }
  if (allowed.length > 0) {
    const items = allowed.slice(0, lists ? NAMED : 0).map(({ stack, object, verdict, why }) => {
      const itself = phrase`${object} ${plain(verdict)}`;
      const what = several ? phrase`${stack}: ${itself}` : itself;
      return markdown(why === undefined ? what : phrase`${what} (${why})`);
    });
    if (allowed.length > items.length) items.push(`**${allowed.length - items.length} more**`);
    parts.push(`**Allowed by the policy**: ${items.join(", ")}`);
  }
  if (unused.length > 0) {
    const what = `Entries of the policy without effect here: ${unused.length}`;
    parts.push(
      lists
        ? details(
            what,
            list(
              atMost(
                unused.map((entry) => phrase`${JSON.stringify(entry)}`),
                NAMED,
              ).map(markdown),
            ),
          )
        : what,
    );
  }
  return parts.length > 0 ? parts.join("\n\n") : undefined;
}

function wayOut(gate: Gate, review: Review): string {
  const meant = meantPhrase(gate, review);
  return `${meant ? `**If meant:** ${markdown(meant)}. ` : ""}**If not:** undo the change.`;
}

function notesSection(page: Page, extent: Extent): string | undefined {
  // The sentences above and the way out say what is protected.
  const notes = page.review.notes.filter(({ because }) => because !== "protected" || page.gate.passed);
  if (notes.length === 0) return undefined;
  if (!hasLists(extent))
    return `${RISK_MARKS[notes[0]!.risk]} ${counted(notes.length, "note")}, the worst of ${notes[0]!.risk} risk`;
  const denied = deniedBy(page.gate).notes;
  const items = notes.slice(0, NAMED).map((note) => {
    const mark = denied.has(note) ? ` ${DENIED}` : "";
    return `${RISK_MARKS[note.risk]}${mark} ${markdown(notePhrase(note, isSeveral(page.review)))}`;
  });
  if (notes.length > NAMED) items.push(`**${notes.length - NAMED} more**`);
  return list(items);
}

function othersSection({ others, stacks }: Review, extent: Extent): string | undefined {
  if (others.length === 0) return undefined;
  if (extent.without.includes("the list of other resources"))
    return `**Other resources in the plan**: ${otherCounts(inTotal(others))}`;
  const { changed, unchanged } = changedAndRest(others);
  const items = changed.slice(0, LISTED).map((group) => {
    return `${stacks.length > 1 ? `${code(group.stack)} ` : ""}${code(group.type)}: ${markdown(otherPhrase(group))}`;
  });
  if (changed.length > LISTED) items.push(`and ${counted(changed.length - LISTED, "more type")}`);
  if (unchanged > 0) items.push(`${changed.length > 0 ? "of other types: " : ""}${unchanged} unchanged`);
  return `**Other resources in the plan**:\n\n${list(items)}`;
}

/** Fields of objects with more than one changed field. For objects that share a row, only the fields of the first. */
function fieldsSection({ review, rows }: Page): string | undefined {
  const shown = rows
    .slice(0, ROWS_SHOWN)
    .flatMap(({ findings: [first] }) => (first !== undefined && first.changes().length > 1 ? [first] : []));
  if (shown.length === 0) return undefined;
  const several = isSeveral(review);
  const head = [...(several ? ["Stack"] : []), "Object", "Fields"];
  const body = shown.map((finding) => [
    ...(several ? [code(finding.stack)] : []),
    code(finding.address),
    fieldLines(finding).join("<br>"),
  ]);
  return details(`Fields of ${counted(shown.length, "object")}`, table(head, body));
}

function fieldLines(finding: ObjectFinding): string[] {
  const changes = finding.changes();
  const { verdict } = finding;
  const isNew = verdict === "CREATE" || (verdict === "ADOPT" && changes.every(({ before }) => before === null));
  return changes.map((change) => {
    const { before, after } = shownValues(change, VALUE_CHARACTERS);
    const field = change.field === "*" ? "all fields" : code(change.field);
    if (isNew) return `${field} ${change.hidden ? "hidden" : markdown(after)}`;
    return `${field} ${markdown(before)} → ${markdown(after)}`;
  });
}

function unchangedSection({ findings, stacks }: Review): string | undefined {
  const unchanged = findings.filter((finding) => !isAffected(finding));
  if (unchanged.length === 0) return undefined;
  const where = (stack: string) => (stacks.length > 1 ? ` (${code(stack)})` : "");
  const names = unchanged.map(({ kind, name, stack }) => `${kind} ${code(name)}${where(stack)}`);
  return details(`${unchanged.length} unchanged`, names.join(", "));
}

/** The digests show whether an apply is of the reviewed plan, and which rules the review used. */
function footer({ review, gate, options }: Page, without: readonly string[]): string | undefined {
  const { maxBytes, origin = {}, policyCommit } = options;
  const parts: string[] = [];
  if (without.length > 0)
    parts.push(`Left out to stay below ${maxBytes} bytes: ${without.join(", ")}; the JSON report has everything.`);
  const plans = review.stacks.flatMap(({ name, digest }) => (digest === null ? [] : [`${code(name)} \`${short(digest)}\``]));
  if (plans.length > 0) parts.push(`SHA-256 of the plan: ${plans.slice(0, NAMED).join(", ")}.`);
  const policies = gate.policies.map((digest) => `\`${short(digest)}\``).join(", ");
  const from = policyCommit === undefined ? "" : ` of commit ${code(short(policyCommit))}`;
  if (policies !== "") parts.push(`Policy: ${policies}${from}.`);
  if (origin.commit !== undefined) parts.push(`Reviewed ${code(short(origin.commit))}.`);
  parts.push(...runLink(origin));
  return parts.length > 0 ? parts.join(" ") : undefined;
}

const short = (digest: string) => digest.slice(0, 12);

export function runLink({ url }: NonNullable<MarkdownOptions["origin"]>): string[] {
  return url !== undefined && /^https?:\/\/[\w.:/?&=%#~-]+$/.test(url) ? [`[Run](${url})`] : [];
}
