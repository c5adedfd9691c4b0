import { LifecycleError, type Failure } from "../../lifecycle/lifecycle-error";
import { remediesOf } from "../../lifecycle/remedies-of";
import { messageOf } from "../../lifecycle/message";
import type { Remedy } from "../../lifecycle/remedy";
import { inWords } from "../../lifecycle/remedy-words";
import { ClusterPlatformError } from "../../model/errors";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { ObjectValue } from "../../terraform/value";
import { DiagnosticsError } from "../server/diagnostics";
import type { ProviderCall } from "../server/provider";
import type { Session } from "./session";

type Configured = Pick<ProviderCall<Session>, "configured">;

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
  // The object of a failure may have had another name.
  const isOfValue = !(error instanceof LifecycleError) || error.failure.objects.some(({ name }) => name === value?.name);
  const places = isOfValue && typeof value?.declared_at === "string" ? [value.declared_at] : [];
  const { summary, detail, remedies } = messageOf(error, () => call.configured.words, places);
  return { severity: "error", summary, detail: paragraphs(detail, remedies), remedies: remediesOf(error) };
}

export function warning(
  { summary, detail, remedies }: Pick<Failure, "summary" | "detail" | "remedies">,
  session: Session,
): Explained {
  const text = inWords(remedies, () => session.words);
  return { severity: "warning", summary, detail: paragraphs(detail, text), remedies };
}

/** Each part becomes a line that ends with a full stop. */
function paragraphs(...parts: readonly (string | undefined)[]): string {
  const given = parts.filter((part) => part !== undefined && part !== "") as string[];
  return given.map((part) => (/[.?!}\])]$/.test(part) ? part : `${part}.`)).join("\n");
}
