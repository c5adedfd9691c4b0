import { readFileSync } from "node:fs";
import { ApiError, ContractError } from "../../../model/errors";
import { bounded } from "../../../util/printable";
import type { Comment, Comments } from "./comment";
import { CommentApi, inPages, invalidSetting, setting, urlSetting } from "./api";

/** The author of comments that are written with a workflow's own token. */
const ACTIONS_BOT = "github-actions[bot]";

interface IssueComment extends Comment {
  readonly user?: { readonly login?: string } | null;
}

/**
 * @param number of the pull request @default - the pull request of the event
 * @throws INVALID_SETTING
 */
export function githubComments(env: NodeJS.ProcessEnv, number = pullRequest(env)): Comments {
  const token = setting(env, "GITHUB_TOKEN", "a token that may write to pull requests");
  const repository = setting(env, "GITHUB_REPOSITORY", "owner/name of the repository");
  const url = env.GITHUB_API_URL ? urlSetting(env, "GITHUB_API_URL", "the URL of GitHub's API") : "https://api.github.com";
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
    throw invalidSetting("GITHUB_REPOSITORY", "owner/name of the repository", repository);
  const api = new CommentApi(url, token, env);
  const graphql = (env.GITHUB_GRAPHQL_URL || url.replace(/\/v3$/, "")).replace(/\/graphql$/, "");
  const ofIssue = `/repos/${repository}/issues/${number}/comments`;
  let login: string | undefined;

  return {
    async find(marker): Promise<Comment | undefined> {
      login ??= await viewer(new CommentApi(graphql, token, env));
      const writer = login;
      const isOwn = ({ body, user }: IssueComment) => body.startsWith(marker) && isLogin(writer, user?.login);
      return inPages(api, ofIssue, isOwn);
    },
    create: async (body) => void (await api.send("POST", ofIssue, { body })),
    update: async (id, body) => void (await api.send("PATCH", `/repos/${repository}/issues/comments/${id}`, { body })),
    close: () => api.close(),
  };
}

/**
 * The login of the token's user. REST refuses this question for a workflow's own token, so it is asked by GraphQL.
 * @throws RequestError if the login is unknown: a guess would miss the existing comment and create a second one
 */
async function viewer(api: CommentApi): Promise<string> {
  try {
    const { data, errors } = ((await api.send("POST", "/graphql", VIEWER)) ?? {}) as ViewerReply;
    if (data?.viewer?.login) return data.viewer.login;
    const problem = errors?.[0]?.message;
    if (problem === NOT_FOR_WORKFLOWS) return ACTIONS_BOT;
    const shown = problem === undefined ? "does not say whose token it is" : `says ${bounded(problem, MESSAGE_CHARACTERS)}`;
    throw new ContractError("POST", "/graphql", "", shown);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.serviceMessage === NOT_FOR_WORKFLOWS)) return ACTIONS_BOT;
    throw error;
  } finally {
    await api.close();
  }
}

const VIEWER = { query: "query { viewer { login } }" };
const MESSAGE_CHARACTERS = 200;

interface ViewerReply {
  readonly data?: { readonly viewer?: { readonly login?: string } | null } | null;
  readonly errors?: readonly { readonly message?: string }[];
}

/** GitHub's answer to a workflow's own token. Other refused tokens get other messages. */
const NOT_FOR_WORKFLOWS = "Resource not accessible by integration";

/** Some answers leave out `[bot]`, the ending of an app's login in comments. */
function isLogin(login: string, writer: string | undefined): boolean {
  return writer === login || writer === `${login}[bot]`;
}

function pullRequest(env: NodeJS.ProcessEnv): number {
  const event = readEvent(env.GITHUB_EVENT_PATH);
  const [, fromRef] = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? "") ?? [];
  const number =
    event.pull_request?.number ?? (event.issue?.pull_request ? event.issue.number : undefined) ?? (fromRef && Number(fromRef));
  if (typeof number === "number" && Number.isInteger(number)) return number;
  throw invalidSetting(
    "GITHUB_EVENT_PATH",
    "the event of a pull request; give its number with --pr",
    env.GITHUB_REF || "another event",
  );
}

interface Event {
  readonly pull_request?: { readonly number?: number; readonly head?: { readonly sha?: string } };
  readonly issue?: { readonly number?: number; readonly pull_request?: object };
}

function readEvent(path: string | undefined): Event {
  if (!path) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Event;
  } catch {
    return {};
  }
}

export function githubOrigin(env: NodeJS.ProcessEnv) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return {
    // GITHUB_SHA of a pull request is a merge commit that no branch has.
    commit: readEvent(env.GITHUB_EVENT_PATH).pull_request?.head?.sha ?? env.GITHUB_SHA,
    url: server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined,
  };
}
