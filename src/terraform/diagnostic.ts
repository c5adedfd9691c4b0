import type { AttributePath } from "./attributes";

/** A warning or error that Terraform shows to the user. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** One sentence. */
  readonly summary: string;
  /** The consequence and the way out. */
  readonly detail?: string;
  /** The attribute in the configuration. Terraform shows its line. */
  readonly path?: AttributePath;
}
