import { adviceOn } from "../../lifecycle/advice";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { ClusterPlatformError } from "../../model/errors";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { ObjectValue } from "../../terraform/value";
import { DiagnosticsError } from "../server/diagnostics";

/**
 * Turns an error of this package into a diagnostic. Other errors are defects, which the server reports.
 * @param value the configuration or state of the object, which may name the construct that declares it
 */
export async function explained<Result>(value: ObjectValue | null, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ClusterPlatformError ? new DiagnosticsError(diagnosticOf(error, value)) : error;
  }
}

function diagnosticOf(error: ClusterPlatformError, value: ObjectValue | null): Diagnostic {
  const declaredAt = typeof value?.declared_at === "string" ? `It is declared at ${value.declared_at}` : undefined;
  if (error instanceof LifecycleError) {
    const { summary, detail, remedy, code } = error.failure;
    return { severity: "error", summary: `${summary} [${code}]`, detail: paragraphs(detail, remedy, declaredAt) };
  }
  return { severity: "error", summary: `${error.message} [${error.code}]`, detail: paragraphs(adviceOn(error), declaredAt) };
}

/** Each part becomes a line that ends with a full stop. */
export function paragraphs(...parts: readonly (string | undefined)[]): string {
  const given = parts.filter((part) => part !== undefined && part !== "") as string[];
  return given.map((part) => (/[.?!}\])]$/.test(part) ? part : `${part}.`)).join("\n");
}
