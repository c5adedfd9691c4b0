import type { ObjectRef } from "../model/object-ref";
import type { Difference } from "./compare";

/** For example `45s`, `1m20s` or `2h05m`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

/** For example `cluster prod` or `capvs provider vsphere-eu`. */
export function describeObject({ type, kind, name }: ObjectRef): string {
  return kind === "clusters" ? `cluster ${name}` : `${type} provider ${name}`;
}

export function staysRetained(object: ObjectRef): string {
  return `${describeObject(object)} stays on the service (retain)`;
}

/** @param name empty if it has none */
export function describePlatform(name = ""): string {
  return name === "" ? "the Platform" : `the Platform ${name}`;
}

const NAMED = 10;

/** `a, b, c and 12 more`. */
export function enumerated(items: readonly string[]): string {
  const more = items.length - NAMED;
  return more > 0 ? `${items.slice(0, NAMED).join(", ")} and ${more} more` : items.join(", ");
}

/** For example `controlPlane.count is 5, declared is 3; secure is false, declared is true`. */
export function differing(differences: readonly Difference[], named = (field: string) => field): string {
  return differences.map(({ field, live, declared }) => `${named(field)} is ${live}, declared is ${declared}`).join("; ");
}

/** @param what what was declared, as in ` of capvs/clusters/prod` */
export function recordedOtherwise(what = ""): string {
  return `an earlier apply has sent another declaration${what} than the one in the state, and Terraform was killed before a create refused the new one`;
}

/** Two sentences, without the last full stop: `1 field could not be checked: services. Make sure …`. */
export function unchecked(fields: readonly string[]): string {
  const what = fields.length === 1 ? "1 field" : `${fields.length} fields`;
  return `${what} could not be checked: ${fields.join(", ")}. Make sure that the declaration has the live values`;
}

/** One text, without its last full stop. Undefined if all parts are. */
export function sentences(...parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : given.reduce((text, part) => `${text}${text.endsWith("?") ? "" : "."} ${part}`);
}

/**
 * That the state has a deletion guard or an orphan check that does not know the objects.
 * @param outcome as in `; nothing was sent`
 */
export function withoutList(address: string, outcome: string): string {
  return (
    `${address} has no list of the Platform's objects in the state, as after 'terraform import', which hooks cannot use${outcome}. ` +
    `Remove it: terraform state rm '${address}'. The next apply creates it. That does not touch the service`
  );
}
