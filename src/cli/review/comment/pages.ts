import { type CommentApi, CommentFailure } from "./http";
import type { Comment } from "./comment";

const PER_PAGE = 100;
/** Ends the loop for a server that ignores the page number. */
const PAGES = 100;

/**
 * The first wanted comment of a list in pages.
 * @param isWanted called with items that have a number as `id` and text as `body`
 * @throws CommentFailure also if a reply is not a list, or the list has no end
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
