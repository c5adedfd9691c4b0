import { type Line, withLine } from "./refusal";
import type { JsonObject, Kind, TypeCode } from "../../model/provider-type";

export interface DeclaredObject {
  readonly type: TypeCode;
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
  /** Where the program declares it. */
  readonly line?: Line;
  /** Keys are the names of props. Values may be tokens. */
  readonly spec: JsonObject;
  readonly hasTokens: boolean;
  /** The flat declaration in Terraform, without defaults and secrets. */
  readonly triggers: Record<string, unknown>;
  readonly adopt?: boolean;
  readonly provider?: string;
  /** Whether a cluster names its provider with `fromName`. */
  readonly byName?: boolean;
  readonly waitForReady?: boolean;
  /** Kubernetes versions in the templates of a cluster's provider, if its construct is known. */
  readonly offeredVersions?: readonly string[];
}

/** Instead of a `count` or a `forEach`. */
export const CONSTRUCT_FOR_EACH = "Make a construct for each, as in `for (const name of names) …`";

/** A problem that only the finished program shows. */
export function problemOf({ path, line }: DeclaredObject, problem: string): string {
  return withLine(`${path}: ${problem}`, line);
}
