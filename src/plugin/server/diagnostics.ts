import {
  Diagnostic_Severity as Severity,
  type AttributePath as EncodedPath,
  type Diagnostic as EncodedDiagnostic,
} from "../protocol/generated/tfplugin6.9";
import type { AttributePath } from "../../terraform/attributes";
import type { Diagnostic } from "../../terraform/diagnostic";

export class DiagnosticsError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(...diagnostics: Diagnostic[]) {
    super(diagnostics.map(({ summary }) => summary).join("; "));
    this.diagnostics = diagnostics;
  }
}

/** An error without a code is reported as a defect. */
export function diagnosticsOf(error: unknown, name: string): readonly Diagnostic[] {
  if (error instanceof DiagnosticsError) return error.diagnostics;
  const { code, message, stack }: Error & { code?: unknown } = error instanceof Error ? error : new Error(String(error));
  if (typeof code === "string") return [{ severity: "error", summary: `[${code}] ${message}` }];
  return [
    {
      severity: "error",
      summary: `This is a bug in the provider ${name}. Please report it: ${message}`,
      detail: stack,
    },
  ];
}

export function encodeDiagnostic(diagnostic: Diagnostic, redact: (text: string) => string): EncodedDiagnostic {
  return {
    severity: diagnostic.severity === "error" ? Severity.ERROR : Severity.WARNING,
    summary: redact(diagnostic.summary).toWellFormed(),
    detail: redact(diagnostic.detail ?? "").toWellFormed(),
    // For a path inside of an attribute, Terraform would show the first line of the block. So only the attribute is named.
    attribute: diagnostic.path && encodePath(diagnostic.path.slice(0, 1)),
  };
}

export function encodePath(path: AttributePath): EncodedPath {
  return {
    steps: path.map((step) => ({
      selector:
        typeof step === "string"
          ? { $case: "attributeName", value: step }
          : typeof step === "number"
            ? { $case: "elementKeyInt", value: step }
            : { $case: "elementKeyString", value: step.key },
    })),
  };
}
