import { CommentFailure } from "./http";

/** A comment that this program wrote earlier. */
export interface Comment {
  readonly id: number;
  readonly body: string;
}

/** The comments of one pull or merge request. */
export interface Comments {
  /** The first comment that begins with the marker and was written by whoever the token belongs to. */
  find(marker: string): Promise<Comment | undefined>;
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
  close(): Promise<void>;
}

const ATTEMPTS = 3;

/**
 * Brings the one comment of this marker up to date, making it where there is none and `worthMaking`. A request that
 * failed without saying what it did is looked into before it is repeated, so that there never are two.
 *
 * @throws CommentFailure
 */
export async function bringUpToDate(
  comments: Comments,
  marker: string,
  body: string,
  worthMaking: boolean,
): Promise<"created" | "updated" | "as it was" | "not needed"> {
  for (let attempt = 1; ; attempt++) {
    const existing = await comments.find(marker);
    if (existing && asStored(existing.body) === asStored(body)) return "as it was";
    if (existing) {
      await comments.update(existing.id, body);
      return "updated";
    }
    if (!worthMaking) return "not needed";
    try {
      await comments.create(body);
      return "created";
    } catch (error) {
      if (!(error instanceof CommentFailure && error.ambiguous) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Platforms may keep a text with other ends of lines than it was sent with. */
function asStored(body: string): string {
  return body.replaceAll("\r\n", "\n").trimEnd();
}
