import { terminalJson } from "../../report/json";
import { isCreated, isDeleted } from "../judge/finding";
import { inTotal } from "../judge/other-resources";
import { hasChanges, type Review } from "../judge/review";
import type { Gate } from "../judge/gate";
import { type MarkdownOptions, reviewMarkdown } from "./markdown";

interface Format {
  /** Whether the output tells a person why a plan is denied. */
  readonly saysDenials: boolean;
  readonly render: (review: Review, gate: Gate, options: RenderOptions) => string | Promise<string>;
}

interface RenderOptions {
  readonly markdown: MarkdownOptions;
  readonly coloured: boolean;
}

/** docs/review.md lists them. A module that only one format needs is loaded on demand. */
export const FORMATS = {
  text: {
    saysDenials: true,
    render: async (review, gate, { coloured }) => (await import("./text")).reviewText(review, gate, coloured),
  },
  markdown: { saysDenials: true, render: (review, gate, { markdown }) => reviewMarkdown(review, gate, markdown) },
  json: { saysDenials: false, render: reviewJson },
  gitlab: { saysDenials: false, render: reviewGitlab },
} satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];

/** docs/review.md has the schema. Within a version, fields are only added. */
export function reviewJson(review: Review, gate: Gate): string {
  const findings = review.findings.map((finding) => ({
    ...finding,
    changes: finding.changes(),
    service: finding.service() ?? null,
  }));
  return `${terminalJson({ version: 1, changes: hasChanges(review), ...review, findings, gate }, 2)}\n`;
}

/**
 * Counts for GitLab's `artifacts:reports:terraform`. Providers and clusters count by their change on the service, other resources
 * by Terraform's actions. A replacement counts as one creation and one deletion, as in GitLab.
 */
export function reviewGitlab({ findings, others }: Review): string {
  const resources = inTotal(others);
  return `${JSON.stringify({
    create: findings.filter(isCreated).length + resources.create,
    update: resources.update,
    delete: findings.filter(isDeleted).length + resources.delete,
  })}\n`;
}
