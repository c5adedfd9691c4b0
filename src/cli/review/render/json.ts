import type { Gate } from "../judge/gate";
import { hasChanges, type Review } from "../judge/review";

/** The review for programs. docs/review.md has the schema; within a version, fields are added and none changes. */
export function reviewJson(review: Review, gate: Gate): string {
  const findings = review.findings.map((finding) => ({ ...finding, changes: finding.changes() }));
  return `${JSON.stringify({ version: 1, changes: hasChanges(review), ...review, findings, gate }, null, 2)}\n`;
}
