import type { AttributePath } from "./attributes";

export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** One sentence. */
  readonly summary: string;
  /** The consequence and the way out. */
  readonly detail?: string;
  /** The attribute in the configuration. Terraform shows its line. */
  readonly path?: AttributePath;
}
