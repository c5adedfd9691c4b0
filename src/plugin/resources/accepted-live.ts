import type { FlatDeclaration } from "../../declarations/declaration";
import { declaredWithDefaults } from "../../declarations/declared-with-defaults";
import { knownOf, type Fields } from "../../declarations/terraform/declaration-schema";
import { segmentsOf } from "../../declarations/trigger-keys";
import { declaredValue } from "../../lifecycle/compare";
import { LifecycleError } from "../../lifecycle/lifecycle-error";
import { describeObject } from "../../lifecycle/wording";
import type { ObjectRef } from "../../model/object-ref";
import { Unknown, type ObjectValue } from "../../terraform/value";
import { driftAttributes } from "./comparison";
import type { ObjectKind } from "./object-kind";
import type { Planning } from "./planning";

/** The live values that differ from the declaration in the state, by field. */
type LiveFields = Readonly<Record<string, string>>;

/** What a changed declaration takes over from the live object. */
export interface Accepted {
  /** The compared fields that now have their live value. */
  readonly fields: readonly string[];
  /** The keys of the declaration that change because of that. */
  readonly keys: ReadonlySet<string>;
  /** The new keys among them that the service's lists do not show. */
  readonly unconfirmed: readonly string[];
}

/**
 * A worker group or a template that only one of the declarations has is accepted with all its keys, because the service has added
 * or removed it as a whole.
 */
export function acceptedLive({ type, kind }: ObjectKind, live: LiveFields, before: Fields, after: Fields): Accepted {
  const [old, now] = [before, after].map((fields) => declaredWithDefaults(type, kind, knownOf(fields))) as [
    FlatDeclaration,
    FlatDeclaration,
  ];
  const fields = Object.keys(live).filter((field) => declaredValue(kind, now, field).value === live[field]);
  const listed = new Set(fields.flatMap((field) => [old, now].flatMap((side) => declaredValue(kind, side, field).keys)));
  const elements = new Set([...listed].map(elementOf));
  const [oldElements, newElements] = [before, after].map((side) => new Set(Object.keys(side).map(elementOf)));
  const isWhole = (key: string) => {
    const element = elementOf(key);
    return element !== undefined && elements.has(element) && oldElements!.has(element) !== newElements!.has(element);
  };
  const keys = Object.keys({ ...before, ...after }).filter(
    (key) => !(after[key] instanceof Unknown) && (listed.has(key) || isWhole(key)),
  );
  return { fields, keys: new Set(keys), unconfirmed: keys.filter((key) => key in after && !listed.has(key)).sort() };
}

/** The worker group or the template that a key belongs to. Undefined for other keys. */
function elementOf(key: string): string | undefined {
  const [list, element] = segmentsOf(key);
  return list === "workers" || list === "templates" ? JSON.stringify([list, element]) : undefined;
}

/**
 * The live values that lists still show ten seconds later. Right after a replacement, a list may show the replaced object. None if
 * a killed run has replaced the object of the state, because the new one may differ in fields that lists do not show, and none if the
 * service may still be deleting it for this machine.
 */
export async function confirmedLive(
  { kind, session }: Planning,
  object: ObjectRef,
  prior: ObjectValue,
  seen: LiveFields,
): Promise<LiveFields> {
  const record = session.context.journal.of(object);
  if (record.hasReplaced(prior.uid as string) || record.recentDeletion(prior.uid as string)) return {};
  const later = await session.presence.findLater(object);
  if (later === undefined) throw goneMeanwhile(object);
  const live = driftAttributes(kind, prior, later).live ?? {};
  return Object.fromEntries(Object.entries(seen).filter(([field, value]) => live[field] === value));
}

/** A list has shown live values, and ten seconds later the object is gone. A plan of both would forget or delete something. */
function goneMeanwhile(object: ObjectRef): LifecycleError {
  return new LifecycleError({
    code: "OBJECT_MISSING",
    objects: [object],
    summary: `${describeObject(object)}: a list showed it with the values of the code, and a list ten seconds later lacks it`,
    detail: "Nothing was changed",
    remedies: [{ code: "APPLY", when: "later" }],
  });
}
