import { terminalJson } from "../report/json";
import type { DriftReport } from "./finding";

/** `coloured` says whether the text goes to a terminal that shows colours. */
type Format = (report: DriftReport, coloured?: boolean) => string | Promise<string>;

/** The modules of a format are loaded only when it is used. */
export const FORMATS = {
  text: async (report, coloured = false) => (await import("./text")).driftText(report, coloured),
  markdown: async (report) => (await import("./markdown")).driftMarkdown(report),
  json: (report) => `${terminalJson({ version: 1, drift: report.findings.length > 0, ...report }, 2)}\n`,
  gitlab,
} satisfies Readonly<Record<string, Format>>;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly (keyof typeof FORMATS)[];

/** Counts for GitLab's `artifacts:reports:terraform`: objects to create, to update and to delete. */
function gitlab({ findings }: DriftReport): string {
  const count = (...drifts: string[]) => findings.filter(({ drift }) => drifts.includes(drift)).length;
  return `${JSON.stringify({ create: count("MISSING"), update: count("CHANGED", "UNFINISHED"), delete: count("UNMANAGED") })}\n`;
}
