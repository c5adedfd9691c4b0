export interface CheckResult {
  readonly verdict: "good" | "doubtful" | "wrong";
  readonly subject: string;
  readonly message: string;
}

export const good = (subject: string, message: string): CheckResult => ({ verdict: "good", subject, message });
export const doubtful = (subject: string, message: string): CheckResult => ({ verdict: "doubtful", subject, message });
export const wrong = (subject: string, message: string): CheckResult => ({ verdict: "wrong", subject, message });
