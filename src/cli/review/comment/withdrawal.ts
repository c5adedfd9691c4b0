import { code } from "../../report/markdown";

/** What a comment says in place of a review that holds no longer, because the plan of what came after it failed. */
export function withdrawal(marker: string, { commit, url }: { readonly commit?: string; readonly url?: string }): string {
  const planned = commit === undefined ? "the present state" : code(commit.slice(0, 12));
  const sentences = [
    `The plan of ${planned} failed, so what this change would do is not known.`,
    "What was said here before was about an earlier state and holds no longer.",
    ...(url !== undefined && /^https?:\/\/[\w.:/?&=%#~-]+$/.test(url) ? [`[Run](${url})`] : []),
  ];
  return `${marker}\n## ⚪ No review: the plan failed\n\n${sentences.join(" ")}\n`;
}
