import { code, details, htmlCode, list, markdown, table } from "../../report/markdown";
import { counted, listed, phrase, plain } from "../../report/phrase";
import { atLeast, type ObjectFinding, type Risk, RISKS } from "../judge/finding";
import type { Gate } from "../judge/gate";
import { mermaidGraph } from "./mermaid";
import { changedAndRest, inTotal } from "../judge/other-resources";
import type { Review } from "../judge/review";
import {
  counts,
  denialPhrase,
  describeVerdict,
  losses,
  notePhrase,
  otherCounts,
  reasons,
  RISK_MARKS,
  shownValues,
  summary,
} from "./wording";

export interface MarkdownOptions {
  /** Tells the comments of several reviews on one pull request apart: letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** How long the text may be, in bytes of UTF-8. */
  readonly maxBytes: number;
  /** What was reviewed and where, for the end of the comment. */
  readonly origin?: { readonly commit?: string; readonly url?: string };
}

/** The least budget in which a headline, what is lost and some rows find room. */
export const LEAST_BYTES = 4_000;

/** Names, rows of lists and groups that are shown before the rest is counted. */
const NAMED = 10;
const LISTED = 30;
const VALUE_CHARACTERS = 200;

/** By which a comment is found again, invisible in it. */
export function marker(id: string): string {
  return `<!-- cluster-platform review v1 id=${id} -->`;
}

/** What is left out of the text, in this order, until it is short enough. */
interface Extent {
  readonly unchanged: boolean;
  /** Details of objects from this risk on. */
  readonly detailsFrom: Risk | undefined;
  readonly graph: boolean;
  /** Other resources by their types, rather than in one line. */
  readonly others: boolean;
  /** Stacks, denials and notes each by itself, rather than counted. */
  readonly lists: boolean;
  /** Rows of objects up to this risk are counted instead. */
  readonly countedUpTo: Risk | undefined;
  /** Rows of the worst objects. */
  readonly rows: number;
}

const EVERYTHING: Extent = {
  unchanged: true,
  detailsFrom: "none",
  graph: true,
  others: true,
  lists: true,
  countedUpTo: undefined,
  rows: Infinity,
};
const SHEDDING: readonly (Partial<Extent> & { readonly without: string })[] = [
  { unchanged: false, without: "unchanged objects" },
  { detailsFrom: "medium", without: "details of low risk" },
  { graph: false, without: "the graph" },
  { others: false, without: "the list of other resources" },
  { detailsFrom: "critical", without: "details of medium and high risk" },
  { countedUpTo: "low", without: "rows of low risk" },
  { countedUpTo: "medium", without: "rows of medium risk" },
  { detailsFrom: undefined, without: "details of critical risk" },
  { lists: false, without: "the lists of stacks, denials and notes" },
  { countedUpTo: "high", without: "rows of high risk" },
];

/** The review as the comment on a pull request. */
export function reviewMarkdown(review: Review, gate: Gate, options: MarkdownOptions): string {
  let extent = EVERYTHING;
  const without: string[] = [];
  for (const { without: what, ...shed } of [{ without: "" }, ...SHEDDING]) {
    extent = { ...extent, ...shed };
    if (what) without.push(what);
    const text = compose(review, gate, options, extent, without);
    if (Buffer.byteLength(text) <= options.maxBytes) return text;
  }
  without.push("rows");
  // The most rows that fit, found by halving; the others are counted.
  let [fits, tooMany] = [0, review.findings.length];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    const size = Buffer.byteLength(compose(review, gate, options, { ...extent, rows: middle }, without));
    if (size <= options.maxBytes) fits = middle;
    else tooMany = middle;
  }
  const text = compose(review, gate, options, { ...extent, rows: fits }, without);
  const texts = [text, headlineOnly(review, gate, options, caution(review)), headlineOnly(review, gate, options)];
  return texts.find((each) => Buffer.byteLength(each) <= options.maxBytes) ?? texts.at(-1)!;
}

/** Names can be so long that not even a few of them fit. */
function headlineOnly(review: Review, gate: Gate, { id, maxBytes }: MarkdownOptions, lost?: string): string {
  const count = (risk: Risk) => review.findings.filter((finding) => finding.risk === risk).length;
  const risks = RISKS.slice(1)
    .toReversed()
    .map((risk) => `${count(risk)} of ${risk} risk`);
  const rest = `No room for more in ${maxBytes} bytes: ${risks.join(", ")}; the JSON report has everything.`;
  const sections = [`${marker(id)}\n## ${headline(review, gate)}`, ...(lost === undefined ? [] : [lost]), rest];
  return `${sections.join("\n\n")}\n`;
}

function compose(review: Review, gate: Gate, options: MarkdownOptions, extent: Extent, without: readonly string[]): string {
  const sections = [
    `${marker(options.id)}\n## ${headline(review, gate)}`,
    caution(review),
    stackLines(review, extent),
    findingsTable(review, extent),
    gateSection(gate, isSeveral(review), extent),
    notesSection(review, extent),
    othersSection(review, extent),
    ...detailSections(review, extent),
    extent.graph ? graphSection(review) : undefined,
    extent.unchanged ? unchangedSection(review) : undefined,
    footer(options, without),
  ];
  return `${sections.filter((section) => section !== undefined).join("\n\n")}\n`;
}

function headline(review: Review, gate: Gate): string {
  const words = summary(review);
  if (!gate.passed) return `🔴 Denied: ${words}`;
  const risks = [review.findings[0], review.notes[0]].map((worst) => worst?.risk ?? "none");
  const mark = RISK_MARKS[RISKS.findLast((risk) => risks.includes(risk))!];
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return `${mark} ${sentence}${gate.allowed.length > 0 ? " (allowed by the policy)" : ""}`;
}

function caution(review: Review): string | undefined {
  const sentences = losses(review, NAMED);
  return sentences.length === 0
    ? undefined
    : ["> [!CAUTION]", ...sentences.map((sentence) => `> ${markdown(sentence)}`)].join("\n");
}

function stackLines({ stacks }: Review, { lists }: Extent): string {
  if (!lists && stacks.length > 1) {
    const incomplete = stacks.filter(({ complete }) => !complete).length;
    return counted(stacks.length, "stack") + (incomplete > 0 ? `, **${counted(incomplete, "incomplete plan")}**` : "");
  }
  const lines = stacks.map(
    ({ name, counts: byVerdict, complete }) => `${code(name)}: ${counts(byVerdict)}${complete ? "" : ", **incomplete plan**"}`,
  );
  const shown = lines.slice(0, LISTED);
  if (lines.length > LISTED) shown.push(`and ${counted(lines.length - LISTED, "more stack")}`);
  return shown.length === 1 ? shown[0]! : list(shown);
}

const isSeveral = ({ stacks }: Review) => stacks.length > 1;
const isAffected = ({ verdict }: ObjectFinding) => verdict !== "UNCHANGED";

function findingsTable(review: Review, { countedUpTo, rows }: Extent): string | undefined {
  const affected = review.findings.filter(isAffected);
  if (affected.length === 0) return undefined;
  const isCounted = ({ risk }: ObjectFinding) => countedUpTo !== undefined && RISKS.indexOf(risk) <= RISKS.indexOf(countedUpTo);
  const candidates = affected.filter((finding) => !isCounted(finding));
  const shown = new Set(candidates.slice(0, rows));
  const several = isSeveral(review);
  const head = ["Verdict", ...(several ? ["Stack"] : []), "Object", "What happens", "Why"];
  const body = [...shown].map((finding) => [
    `${RISK_MARKS[finding.risk]} ${finding.verdict}`,
    ...(several ? [code(finding.stack)] : []),
    `${finding.type} ${finding.kind} ${code(finding.name)}`,
    describeVerdict(finding),
    markdown(reasons(finding)),
  ]);
  const rest = RISKS.toReversed()
    .map((risk) => [risk, affected.filter((finding) => finding.risk === risk && !shown.has(finding)).length] as const)
    .filter(([, count]) => count > 0)
    .map(([risk, count]) => `${RISK_MARKS[risk]} **${count} more** of ${risk === "none" ? "no" : risk} risk`);
  const parts = [...(shown.size > 0 ? [table(head, body)] : []), ...(rest.length > 0 ? [rest.join(", ")] : [])];
  return parts.join("\n\n");
}

function gateSection({ failOn, denials, allowed }: Gate, several: boolean, { lists }: Extent): string | undefined {
  const parts: string[] = [];
  if (!lists) {
    if (denials.length > 0) parts.push(`**Denied** (fail-on ${failOn}): ${counted(denials.length, "time")}`);
    if (allowed.length > 0) parts.push(`**Allowed by the policy**: ${counted(allowed.length, "time")}`);
    return parts.length > 0 ? parts.join(", ") : undefined;
  }
  if (denials.length > 0) {
    const items = denials.slice(0, NAMED).map((denial) => markdown(denialPhrase(denial, several)));
    if (denials.length > NAMED) items.push(`**${denials.length - NAMED} more**`);
    parts.push(`**Denied** (fail-on ${failOn}):\n\n${list(items)}`);
    const example = denials.find((denial) => denial.code === "RISK" || denial.code === "FORBID_DESTROY");
    if (example) {
      const entry = JSON.stringify({ object: example.object, verdict: example.verdict });
      parts.push(`To allow one, add it to \`allow\` of the policy on the target branch, as in ${code(entry)}.`);
    }
  }
  if (allowed.length > 0) {
    const items = allowed.slice(0, NAMED).map(({ stack, object, verdict, why }) => {
      const itself = phrase`${object} ${plain(verdict)}`;
      const what = several ? phrase`${stack}: ${itself}` : itself;
      return markdown(why === undefined ? what : phrase`${what} (${why})`);
    });
    if (allowed.length > NAMED) items.push(`**${allowed.length - NAMED} more**`);
    parts.push(`**Allowed by the policy**:\n\n${list(items)}`);
  }
  return parts.length > 0 ? parts.join("\n\n") : undefined;
}

function notesSection(review: Review, { lists }: Extent): string | undefined {
  const { notes } = review;
  if (notes.length === 0) return undefined;
  if (!lists) return `${RISK_MARKS[notes[0]!.risk]} ${counted(notes.length, "note")}, the worst of ${notes[0]!.risk} risk`;
  const items = notes.slice(0, NAMED).map((note) => `${RISK_MARKS[note.risk]} ${markdown(notePhrase(note, isSeveral(review)))}`);
  if (notes.length > NAMED) items.push(`**${notes.length - NAMED} more**`);
  return list(items);
}

function othersSection({ others, stacks }: Review, extent: Extent): string | undefined {
  if (others.length === 0) return undefined;
  if (!extent.others) return `**Other resources in the plan**: ${otherCounts(inTotal(others))}`;
  const { changed, unchanged } = changedAndRest(others);
  const items = changed.slice(0, LISTED).map((group) => {
    const deleted = group.deleted.length > 0 ? `: ${markdown(listed(group.deleted, 3))}` : "";
    return `${stacks.length > 1 ? `${code(group.stack)} ` : ""}${code(group.type)}: ${otherCounts(group)}${deleted}`;
  });
  if (changed.length > LISTED) items.push(`and ${counted(changed.length - LISTED, "more type")}`);
  if (unchanged > 0) items.push(`${changed.length > 0 ? "of other types: " : ""}${unchanged} unchanged`);
  return `**Other resources in the plan**:\n\n${list(items)}`;
}

function detailSections({ findings, stacks }: Review, { detailsFrom }: Extent): string[] {
  return findings
    .filter(({ risk }) => detailsFrom !== undefined && atLeast(risk, detailsFrom))
    .filter((finding) => isAffected(finding) && finding.changes().length > 0)
    .map((finding) => {
      const { address, stack, kind, name, verdict } = finding;
      const changes = finding.changes();
      const created = verdict === "CREATE" || (verdict === "ADOPT" && changes.every(({ before }) => before === null));
      const rows = changes.map((change) => {
        const { before, after } = shownValues(change, VALUE_CHARACTERS);
        const field = change.field === "*" ? "all fields" : code(change.field);
        return created ? [field, change.hidden ? "hidden" : markdown(after)] : [field, markdown(before), markdown(after)];
      });
      const where = stacks.length > 1 ? ` in ${htmlCode(stack)}` : "";
      const title = `${kind} ${htmlCode(name)}${where}: ${counted(changes.length, "field")}`;
      const head = created ? ["Field", "Value"] : ["Field", "Before", "After"];
      return details(title, `${table(head, rows)}\n\nAddress ${code(address)}`);
    });
}

function graphSection({ findings }: Review): string | undefined {
  const graph = mermaidGraph(findings);
  return graph && details("Graph of what is affected", `\`\`\`mermaid\n${graph}\n\`\`\``);
}

function unchangedSection({ findings, stacks }: Review): string | undefined {
  const unchanged = findings.filter((finding) => !isAffected(finding));
  if (unchanged.length === 0) return undefined;
  const where = (stack: string) => (stacks.length > 1 ? ` (${code(stack)})` : "");
  const names = unchanged.map(({ kind, name, stack }) => `${kind} ${code(name)}${where(stack)}`);
  return details(`${unchanged.length} unchanged`, names.join(", "));
}

function footer({ maxBytes, origin = {} }: MarkdownOptions, without: readonly string[]): string | undefined {
  const parts: string[] = [];
  if (without.length > 0)
    parts.push(`Left out to stay below ${maxBytes} bytes: ${without.join(", ")}; the JSON report has everything.`);
  if (origin.commit !== undefined) parts.push(`Reviewed ${code(origin.commit.slice(0, 12))}.`);
  parts.push(...runLink(origin));
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function runLink({ url }: NonNullable<MarkdownOptions["origin"]>): string[] {
  return url !== undefined && /^https?:\/\/[\w.:/?&=%#~-]+$/.test(url) ? [`[Run](${url})`] : [];
}

/** What a comment says instead of a review that no longer holds, because the plan of a later commit failed. */
export function withdrawal(id: string, origin: NonNullable<MarkdownOptions["origin"]>): string {
  const planned = origin.commit === undefined ? "the present state" : code(origin.commit.slice(0, 12));
  const sentences = [
    `The plan of ${planned} failed, so what this change would do is not known.`,
    "What was said here before was about an earlier state and holds no longer.",
    ...runLink(origin),
  ];
  return `${marker(id)}\n## ⚪ No review: the plan failed\n\n${sentences.join(" ")}\n`;
}
