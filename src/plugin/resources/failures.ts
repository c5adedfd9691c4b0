import { LifecycleError, type Failure } from "../../lifecycle/lifecycle-error";
import { remediesOf } from "../../lifecycle/remedies-of";
import type { Remedy } from "../../lifecycle/remedy";
import { inWords } from "../../lifecycle/remedy-words";
import { declaredAt } from "../../lifecycle/wording";
import { ClusterPlatformError } from "../../model/errors";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { ObjectValue } from "../../terraform/value";
import { DiagnosticsError } from "../server/diagnostics";
import type { Call } from "../server/provider";
import type { Session } from "./session";

type Configured = Pick<Call<Session>, "configured">;

/** A diagnostic whose detail has the remedies in words. */
export interface Explained extends Diagnostic {
  readonly remedies: readonly Remedy[];
}

/**
 * Turns an error of this package into a diagnostic. Other errors are defects, which the server reports.
 * @param value the configuration or state of the object, which may name the construct that declares it
 */
export async function reportingFailures<Result>(
  value: ObjectValue | null,
  call: Configured,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ClusterPlatformError ? new DiagnosticsError(diagnosticOf(error, value, call)) : error;
  }
}

function diagnosticOf(error: ClusterPlatformError, value: ObjectValue | null, call: Configured): Explained {
  const { summary, detail, objects } = error instanceof LifecycleError ? error.failure : { summary: error.message };
  // The object of a failure may have had another name.
  const isOfValue = objects === undefined || objects.some(({ name }) => name === value?.name);
  const where = isOfValue && typeof value?.declared_at === "string" ? declaredAt([value.declared_at]) : undefined;
  return diagnostic("error", { summary: `${summary} [${error.code}]`, detail, remedies: remediesOf(error) }, call, where);
}

export function warning(given: Pick<Failure, "summary" | "detail" | "remedies">, call: Configured): Explained {
  return diagnostic("warning", given, call);
}

function diagnostic(
  severity: Diagnostic["severity"],
  { summary, detail, remedies }: Pick<Failure, "summary" | "detail" | "remedies">,
  call: Configured,
  more?: string,
): Explained {
  const text = inWords(remedies, () => call.configured.words);
  return { severity, summary, detail: paragraphs(detail, text, more), remedies };
}

/** Each part becomes a line that ends with a full stop. */
function paragraphs(...parts: readonly (string | undefined)[]): string {
  const given = parts.filter((part) => part !== undefined && part !== "") as string[];
  return given.map((part) => (/[.?!}\])]$/.test(part) ? part : `${part}.`)).join("\n");
}
