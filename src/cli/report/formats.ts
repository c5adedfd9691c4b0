import { terminalJson } from "./json";

export const FORMAT_NAMES = ["text", "markdown", "json", "gitlab"] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The documentation of each report has the schema. Within a version, fields are only added. */
export function jsonReport(fields: Readonly<Record<string, unknown>>): string {
  return `${terminalJson({ version: 1, ...fields }, 2)}\n`;
}

/** Counts for GitLab's `artifacts:reports:terraform`. */
export function gitlabReport(counts: { readonly create: number; readonly update: number; readonly delete: number }): string {
  return `${JSON.stringify(counts)}\n`;
}
