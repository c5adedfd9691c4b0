import { ContractError } from "../../../model/errors";
import type { Comment, Comments } from "./comment";
import { CommentApi, inPages, invalidSetting, setting, urlSetting } from "./api";

interface Note extends Comment {
  readonly system?: boolean;
  readonly author?: { readonly id?: number } | null;
}

/**
 * @param iid of the merge request @default - the merge request of the pipeline
 * @throws INVALID_SETTING
 */
export function gitlabComments(env: NodeJS.ProcessEnv, iid = mergeRequest(env)): Comments {
  const token = setting(env, "GITLAB_TOKEN", "an access token with the scope api; a job's own token may not comment");
  const project = setting(env, "CI_PROJECT_ID", "the number of the project");
  const url = urlSetting(env, "CI_API_V4_URL", "the URL of GitLab's API");
  const api = new CommentApi(url, token, env);
  const notes = `/projects/${encodeURIComponent(project)}/merge_requests/${iid}/notes`;
  let user: number | undefined;

  return {
    async find(marker): Promise<Comment | undefined> {
      user ??= await viewer(api);
      const isOwn = ({ body, system, author }: Note) => !system && body.startsWith(marker) && author?.id === user;
      return inPages(api, `${notes}?sort=asc&order_by=created_at`, isOwn);
    },
    create: async (body) => void (await api.send("POST", notes, { body })),
    update: async (id, body) => void (await api.send("PUT", `${notes}/${id}`, { body })),
    close: () => api.close(),
  };
}

async function viewer(api: CommentApi): Promise<number> {
  const reply = (await api.send("GET", "/user")) as { readonly id?: unknown } | null;
  if (typeof reply?.id === "number") return reply.id;
  throw new ContractError("GET", "/user", "", "does not say whose token it is");
}

function mergeRequest(env: NodeJS.ProcessEnv): number {
  const iid = Number(
    setting(
      env,
      "CI_MERGE_REQUEST_IID",
      "the number of the merge request; run the job in merge request pipelines, or give it with --pr",
    ),
  );
  if (Number.isInteger(iid) && iid > 0) return iid;
  throw invalidSetting("CI_MERGE_REQUEST_IID", "the number of the merge request", env.CI_MERGE_REQUEST_IID!);
}

export function gitlabOrigin(env: NodeJS.ProcessEnv) {
  return { commit: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA, url: env.CI_JOB_URL };
}
