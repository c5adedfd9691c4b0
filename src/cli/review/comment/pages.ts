import { type CommentApi, CommentFailure } from "./http";
import type { Comment } from "./comment";

const PER_PAGE = 100;
/** A server that ignores the number of the page would otherwise be asked for ever. */
const PAGES = 100;

/**
 * The first comment of a list in pages that is the wanted one.
 *
 * @param path of the list below the base, with or without a query
 * @param isWanted decides on an item that has a number as `id` and text as `body`
 * @throws CommentFailure also where a reply is not a list, or the list has no end
 */
export async function inPages<Item extends Comment>(
  api: CommentApi,
  path: string,
  isWanted: (item: Item) => boolean,
): Promise<Comment | undefined> {
  for (let page = 1; page <= PAGES; page++) {
    const items = await api.send("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=${PER_PAGE}&page=${page}`);
    if (!Array.isArray(items)) throw new CommentFailure(`GET ${path}`, "the reply is not a list", 200);
    const found = (items as unknown[]).filter(isComment).find((item) => isWanted(item as Item));
    if (found || items.length < PER_PAGE) return found && { id: found.id, body: found.body };
  }
  throw new CommentFailure(`GET ${path}`, `the list does not end after ${PAGES} pages`, 200);
}

function isComment(item: unknown): item is Comment {
  const { id, body } = (item ?? {}) as Partial<Comment>;
  return typeof id === "number" && typeof body === "string";
}
