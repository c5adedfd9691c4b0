import { CommentFailure } from "./http";

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

/** Attempts at most. CommentApi has already retried an update that fails. */
const ATTEMPTS = { created: 3, updated: 1 };

/**
 * Creates or updates the one comment with this marker. It creates a comment only if `worthMaking`. If the outcome of a request is
 * unknown, it looks for the comment first, so that there are never two.
 * @throws CommentFailure, or an Error that also says what is known about the comment after a request with an unknown outcome
 */
export async function bringUpToDate(
  comments: Comments,
  marker: string,
  body: string,
  worthMaking: boolean,
): Promise<"created" | "updated" | "as it was" | "not needed"> {
  let unclear: { readonly what: "created" | "updated"; readonly failure: CommentFailure } | undefined;
  for (let attempt = 1; ; attempt++) {
    const existing = unclear ? await lookAgain(comments, marker, unclear.failure) : await comments.find(marker);
    if (existing && asStored(existing.body) === asStored(body)) return unclear?.what ?? "as it was";
    if (unclear && attempt > ATTEMPTS[unclear.what]) {
      const known = existing ? "the comment is unchanged" : "this review has no comment";
      throw new Error(`${unclear.failure.message}; ${known}`, { cause: unclear.failure });
    }
    if (!existing && !worthMaking) return "not needed";
    const what = existing ? "updated" : "created";
    try {
      await (existing ? comments.update(existing.id, body) : comments.create(body));
      return what;
    } catch (failure) {
      if (!(failure instanceof CommentFailure && failure.ambiguous)) throw failure;
      unclear = { what, failure };
    }
  }
}

async function lookAgain(comments: Comments, marker: string, failure: CommentFailure): Promise<Comment | undefined> {
  try {
    return await comments.find(marker);
  } catch (look) {
    const known = `the outcome is unknown, because the search for the comment failed too: ${(look as Error).message}`;
    throw new Error(`${failure.message}; ${known}`, { cause: failure });
  }
}

/** GitHub and GitLab may store a text with other line ends. */
function asStored(body: string): string {
  return body.replaceAll("\r\n", "\n").trimEnd();
}
