import type { AttributePath } from "./attributes";

/** What Terraform tells the user. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** One sentence. */
  readonly summary: string;
  /** What follows from it, and the way out. */
  readonly detail?: string;
  /** What it is about in the configuration. Terraform shows the line of its first attribute. */
  readonly path?: AttributePath;
}
