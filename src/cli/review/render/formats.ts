import { type FormatName, gitlabReport, jsonReport } from "../../report/formats";
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
} satisfies Readonly<Record<FormatName, Format>>;

/** docs/review-report.md has the schema. */
export function reviewJson(review: Review, gate: Gate): string {
  const findings = review.findings.map((finding) => ({
    ...finding,
    changes: finding.changes(),
    service: finding.service() ?? null,
  }));
  return jsonReport({ changes: hasChanges(review), ...review, findings, gate });
}

/**
 * Providers and clusters count by their change on the service, other resources
 * by Terraform's actions. A replacement counts as one creation and one deletion, as in GitLab.
 */
export function reviewGitlab({ findings, others }: Review): string {
  const resources = inTotal(others);
  return gitlabReport({
    create: findings.filter(isCreated).length + resources.create,
    update: resources.update,
    delete: findings.filter(isDeleted).length + resources.delete,
  });
}
