import { DELETION_CODES, type DeletionRefusal, type DeletionRemedy } from "../decision/deletion";
import type { ObjectRef } from "../model/object-ref";
import { LifecycleError, type Failure } from "./lifecycle-error";
import type { Remedy } from "./remedy";
import { describeObject, enumerated, sentences } from "./wording";

/** What a refusal says besides its reason. */
export interface RefusedDeletion {
  /** The objects in the summary. @default - `cluster prod` */
  readonly subject?: string;
  /** What was not done, as the end of a sentence. */
  readonly otherwise: "nothing was sent" | "nothing was deleted";
  /** What the run would do, as in `the plan deletes it`. */
  readonly intent?: string;
  /** The entries of `retain` that name nothing in the code and nothing on the service. @default - none */
  readonly unknownRetained?: readonly string[];
  /** What is known besides, by the reason; sentences, the last one without its full stop. */
  readonly details?: Partial<Record<DeletionRefusal["because"], string>>;
}

/** Objects and their refusals, all for one reason. */
export type Refused = readonly { readonly object: ObjectRef; readonly refusal: DeletionRefusal }[];

/** The texts of refusals that several parts of a run can meet first. */
export function refusedDeletion(all: Refused, refused: RefusedDeletion): LifecycleError {
  const { because } = all[0]!.refusal;
  const objects = all.map(({ object }) => object);
  const { intent, otherwise, unknownRetained = [], details } = refused;
  const subject = refused.subject ?? enumerated(objects.map(describeObject));
  const [is, it] = objects.length === 1 ? ["is", "it"] : ["are", "them"];
  const texts: Partial<Record<DeletionRefusal["because"], Pick<Failure, "summary" | "detail">>> = {
    protected: { summary: `${subject} ${is} protected${and(intent)}; ${otherwise}` },
    retained: {
      summary: `${subject} ${is} kept on the service by the Platform's retain${and(intent)}; ${otherwise}`,
      detail: "The name would still be taken",
    },
    "said to be gone": {
      summary: `${subject} ${is} on the service, although CLUSTER_PLATFORM_ACCEPT_GONE says that ${it} ${is} gone; ${otherwise}`,
      detail: "A list lacked it for a while, or somebody has created it again",
    },
    "retain matches nothing": {
      summary: `${subject} ${is} neither deleted nor replaced, because the Platform's retain has ${enumerated(unknownRetained)}, which ${unknownRetained.length === 1 ? "names" : "name"} nothing in the code and nothing on the service; ${otherwise}`,
      detail: "If that is a typing error, the object that it should keep could be deleted now",
    },
  };
  const { summary, detail } = texts[because]!;
  return withRemedies(all, { summary, detail: sentences(detail, details?.[because]) });
}

/**
 * @param successors of one kind that the code declares and that do not exist yet
 * @returns a sentence without its full stop. Undefined if nothing can have another name
 */
export function renamedTo(objects: readonly ObjectRef[], successors: readonly ObjectRef[]): string | undefined {
  const clusters = objects.filter(({ kind }) => kind === "clusters");
  const names = (refs: readonly ObjectRef[]) => enumerated(refs.map(({ name }) => name));
  if (clusters.length === 0 || successors.length === 0) return undefined;
  return `If ${names(successors)} is a new name for ${names(clusters)}: a new name is a new cluster, which is created empty`;
}

/** What a refusal says that is not about permission. */
export interface RefusalText extends Pick<Failure, "summary" | "detail"> {
  /** Clusters that use the provider, or may use it. */
  readonly users?: readonly ObjectRef[];
  /** The name on the service, if only its spelling differs. */
  readonly found?: string;
}

export interface UsedProvider {
  readonly provider: ObjectRef;
  readonly users: readonly ObjectRef[];
}

export function usedBy(used: readonly UsedProvider[], otherwise: RefusedDeletion["otherwise"] = "nothing was sent"): RefusalText {
  const what = used.map(
    ({ provider, users }) => `${describeObject(provider)} is used by ${enumerated(users.map(({ name }) => name))}`,
  );
  return {
    users: used.flatMap(({ users }) => users),
    summary: `${what.join(", ")}; ${otherwise}`,
    detail: "The service cannot change a registration in use",
  };
}

/** For refusals for reasons other than permission. */
export function withRemedies(all: Refused, text: RefusalText): LifecycleError {
  const { users = [], found, summary, detail } = text;
  const codes = [...new Set(all.flatMap(({ refusal }) => refusal.remedies))];
  const helped = (code: DeletionRemedy) =>
    all.filter(({ refusal }) => refusal.remedies.includes(code)).map(({ object }) => object);
  return new LifecycleError({
    code: DELETION_CODES[all[0]!.refusal.because],
    objects: [...all.map(({ object }) => object), ...users],
    summary,
    ...(detail !== undefined && { detail }),
    remedies: codes.map((code) => remedyOf(code, helped(code), users, found, codes.includes("KEEP"))),
  });
}

function remedyOf(
  code: DeletionRemedy,
  objects: readonly ObjectRef[],
  users: readonly ObjectRef[],
  found: string | undefined,
  isReplacement: boolean,
): Remedy {
  switch (code) {
    case "ALLOW_DELETION":
      return { code, objects, ...(isReplacement && { isReplacement }) };
    case "ADOPT_AND_REMOVE":
      return { code, objects: users };
    case "ADOPT":
      return {
        code,
        objects: objects.map((object) => ({ ...object, name: found ?? object.name })),
        isRenamed: found !== undefined,
      };
    case "APPLY":
      return { code, when: "provider is shown" };
    case "APPLY_PLAIN":
    case "CORRECT_URL":
    case "CORRECT_RETAIN":
      return { code };
    default:
      return { code, objects };
  }
}

function and(intent: string | undefined): string {
  return intent === undefined ? "" : `, and ${intent}`;
}
