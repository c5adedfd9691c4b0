import type { Review } from "../judge/review";

/**
 * Counts for GitLab's `artifacts:reports:terraform`: providers and clusters by what happens to them on the service, all
 * other resources by what Terraform does. What is re-created counts twice, as it does there.
 */
export function reviewGitlab({ findings, others }: Review): string {
  const objects = (...verdicts: string[]) => findings.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const resources = (action: "create" | "update" | "delete") => others.reduce((sum, group) => sum + group[action], 0);
  return `${JSON.stringify({
    create: objects("CREATE", "RE-CREATE", "DUPLICATE") + resources("create"),
    update: objects("STATE-ONLY") + resources("update"),
    delete: objects("DESTROY", "RE-CREATE") + resources("delete"),
  })}\n`;
}
