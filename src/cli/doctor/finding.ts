/** What was looked at, what was found, and what to do about it. */
export interface Finding {
  readonly verdict: "good" | "doubtful" | "wrong";
  readonly subject: string;
  readonly message: string;
}

export const good = (subject: string, message: string): Finding => ({ verdict: "good", subject, message });
export const doubtful = (subject: string, message: string): Finding => ({ verdict: "doubtful", subject, message });
export const wrong = (subject: string, message: string): Finding => ({ verdict: "wrong", subject, message });
