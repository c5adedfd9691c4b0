import { RequestError } from "../../../model/errors";

export interface Comment {
  readonly id: number;
  readonly body: string;
}

export interface Comments {
  /** The first comment that begins with the marker and was written by the token's user. */
  find(marker: string): Promise<Comment | undefined>;
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
  close(): Promise<void>;
}

/** Creations at most. */
const ATTEMPTS = 3;

/**
 * Creates or updates the one comment with this marker. It creates a comment only if `worthMaking`. If the outcome of a creation is
 * unknown, it looks for the comment first, so that there are never two.
 * @throws RequestError
 */
export async function bringUpToDate(
  comments: Comments,
  marker: string,
  body: string,
  worthMaking: boolean,
): Promise<"created" | "updated" | "as it was" | "not needed"> {
  for (let attempt = 1; ; attempt++) {
    const existing = await comments.find(marker);
    if (existing && asStored(existing.body) === asStored(body)) return attempt > 1 ? "created" : "as it was";
    if (existing) {
      await comments.update(existing.id, body);
      return "updated";
    }
    if (!worthMaking) return "not needed";
    try {
      await comments.create(body);
      return "created";
    } catch (failure) {
      if (!(failure instanceof RequestError && failure.ambiguous) || attempt === ATTEMPTS) throw failure;
    }
  }
}

/** GitHub and GitLab may store a text with other line ends. */
function asStored(body: string): string {
  return body.replaceAll("\r\n", "\n").trimEnd();
}
