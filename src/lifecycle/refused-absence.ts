import { decideAbsence, type AbsenceRefusal } from "../decision/platform";
import { enumerated } from "./wording";

/** Why a missing object does not count as gone, as the end of a sentence. */
export function whyNotGone({ because }: AbsenceRefusal, service: string | null | undefined): string {
  return because === "another service"
    ? `the state names ${service} as its service`
    : "nothing that Terraform has read before it proves that this is the right service";
}

interface Looked<T> {
  readonly all: readonly T[];
  /** Those that the service at `url` has. */
  readonly live: readonly T[];
  readonly idOf: (object: T) => string;
  /** Whether the name of the object was taken. Then the one that lives is probably somebody else's, and can be on any service. */
  readonly wasRefused: (object: T) => boolean;
  readonly url: string;
  /** Who has them, as the end of "objects that …". */
  readonly owner: string;
  /** @default false */
  readonly isSeen?: boolean;
  /** @default false */
  readonly isDeletionNoted?: boolean;
}

/**
 * The objects that the service lacks, if it is probably another one, and that as a sentence without its full stop. Undefined if it
 * lacks none, or if something shows that they are gone.
 * @param looked without objects of which the run was told that they are gone
 */
export function doubtfulService<T>(looked: Looked<T>): { readonly absent: readonly T[]; readonly summary: string } | undefined {
  const { all, live, idOf, wasRefused, url, owner, isSeen = false, isDeletionNoted = false } = looked;
  const absent = all.filter((object) => !live.includes(object));
  const witnesses = live.length === 0 ? "none" : live.every(wasRefused) ? "refused" : "own";
  const facts = { service: "this one", isSaidGone: false, isSeen, isDeletionNoted, witnesses } as const;
  if (absent.length === 0 || decideAbsence(facts).happens === "GONE") return undefined;
  const [ids, lacking] = [live.map(idOf), absent.map(idOf)];
  const lacks =
    live.length > 0
      ? `only ${enumerated(ids)} ${ids.length === 1 ? "lives" : "live"}, whose name was taken when an apply tried to create it. ${enumerated(lacking)} ${lacking.length === 1 ? "is" : "are"} not`
      : all.length === 1
        ? `${lacking[0]}, the only object that ${owner}, is not`
        : `none of the ${all.length} objects that ${owner} (${enumerated(lacking)}) is`;
  return { absent, summary: `${lacks} on the service at ${url}` };
}
