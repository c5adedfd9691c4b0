import type { Comment, Comments } from "./comment";
import { CommentApi } from "./http";
import { setting, settingFault } from "./settings";

const PER_PAGE = 100;

interface Note {
  readonly id: number;
  readonly body?: string;
  readonly system?: boolean;
  readonly author?: { readonly id?: number } | null;
}

/**
 * The notes of a merge request, as GitLab CI describes where it runs.
 *
 * @param iid of the merge request @default - the one of the pipeline
 * @throws INVALID_SETTING
 */
export function gitlabComments(env: NodeJS.ProcessEnv, iid = mergeRequest(env)): Comments {
  const token = setting(env, "GITLAB_TOKEN", "an access token with the scope api; a job's own token may not comment");
  const project = setting(env, "CI_PROJECT_ID", "the number of the project");
  const url = setting(env, "CI_API_V4_URL", "the URL of GitLab's API").replace(/\/+$/, "");
  if (!URL.canParse(url)) throw settingFault("CI_API_V4_URL", "the URL of GitLab's API", url);
  const api = new CommentApi(url, { "private-token": token }, env);
  const notes = `/projects/${encodeURIComponent(project)}/merge_requests/${iid}/notes`;
  let user: number | undefined;

  return {
    async find(marker): Promise<Comment | undefined> {
      user ??= ((await api.send("GET", "/user")) as { id: number }).id;
      for (let page = 1; ; page++) {
        const all = (await api.send("GET", `${notes}?per_page=${PER_PAGE}&page=${page}&sort=asc&order_by=created_at`)) as Note[];
        const own = all.find(({ body, system, author: writer }) => !system && body?.startsWith(marker) && writer?.id === user);
        if (own) return { id: own.id, body: own.body! };
        if (all.length < PER_PAGE) return undefined;
      }
    },
    create: async (body) => void (await api.send("POST", notes, { body })),
    update: async (id, body) => void (await api.send("PUT", `${notes}/${id}`, { body })),
    close: () => api.close(),
  };
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
  throw settingFault("CI_MERGE_REQUEST_IID", "the number of the merge request", env.CI_MERGE_REQUEST_IID!);
}

/** What a job of GitLab CI reviews and where it is, for the end of the comment. */
export function gitlabOrigin(env: NodeJS.ProcessEnv) {
  return { commit: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA, url: env.CI_JOB_URL };
}
