import type { AbsenceRefusal } from "../decision/platform";
import { enumerated } from "./wording";

/** Why a missing object does not count as gone, as the end of a sentence. */
export function whyNotGone({ because }: AbsenceRefusal, service: string | null | undefined): string {
  switch (because) {
    case "another service":
      return `the state names ${service} as its service`;
    case "unnamed service":
      return "the state does not say which service it was created on";
    case "doubtful service":
      return "nothing that Terraform has read before it proves that this is the right service";
  }
}

/**
 * That the service has none of the objects, as the beginning of a sentence.
 * @param owner who has them, as the end of "objects that …"
 */
export function noneOf(ids: readonly string[], owner: string): string {
  return ids.length === 1
    ? `${ids[0]}, the only object that ${owner}, is not`
    : `none of the ${ids.length} objects that ${owner} (${enumerated(ids)}) is`;
}
