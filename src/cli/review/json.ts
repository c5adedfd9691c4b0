import type { Gate } from "./gate";
import { hasChanges, type Review } from "./review-plans";

/** The review for programs. docs/review.md has the schema; within a version, fields are added and none changes. */
export function reviewJson(review: Review, gate: Gate): string {
  return `${JSON.stringify({ version: 1, changes: hasChanges(review), ...review, gate }, null, 2)}\n`;
}
