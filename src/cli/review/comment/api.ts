import { proxyFor } from "../../../api/http/proxy";
import { readJson } from "../../../api/http/reply";
import { type ApiRequest, Requester } from "../../../api/http/requester";
import { ConfigurationError, ContractError } from "../../../model/errors";
import { visible } from "../../../util/printable";
import { Redactor } from "../../../util/redaction";
import type { Comment } from "./comment";

const ATTEMPT_LIMIT_SECONDS = 30;

/** The API of GitHub or GitLab. */
export class CommentApi {
  readonly #redactor = new Redactor();
  readonly #requester: Requester;

  /** @param url base URL without a trailing slash */
  constructor(url: string, token: string, env: NodeJS.ProcessEnv) {
    const connection = {
      url,
      insecureSkipVerify: false,
      requestSeconds: ATTEMPT_LIMIT_SECONDS,
      proxy: proxyFor(new URL(url), env),
      warnings: [],
    };
    const credentials = { token: async () => token, renew: async () => undefined };
    this.#requester = new Requester(connection, credentials, this.#redactor);
  }

  /** @throws RequestError */
  async send(method: ApiRequest["method"], path: string, body?: object): Promise<unknown> {
    const read = readJson(await this.#requester.send({ method, path, body }, {}), this.#redactor);
    if ("json" in read) return read.json;
    throw new ContractError(method, path, "", read.problem);
  }

  close(): Promise<void> {
    return this.#requester.close();
  }
}

const PER_PAGE = 100;
/** Ends the loop for a server that ignores the page number. */
const PAGES = 100;

/**
 * The first wanted comment of a list in pages.
 * @param isWanted called with items that have a number as `id` and text as `body`
 * @throws RequestError also if a reply is not a list, or the list has no end
 */
export async function inPages<Item extends Comment>(
  api: CommentApi,
  path: string,
  isWanted: (item: Item) => boolean,
): Promise<Comment | undefined> {
  for (let page = 1; page <= PAGES; page++) {
    const items = await api.send("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=${PER_PAGE}&page=${page}`);
    if (!Array.isArray(items)) throw new ContractError("GET", path, "", "is not a list");
    const found = (items as unknown[]).filter(isComment).find((item) => isWanted(item as Item));
    if (found || items.length < PER_PAGE) return found && { id: found.id, body: found.body };
  }
  throw new ContractError("GET", path, "", `is a list that does not end after ${PAGES} pages`);
}

function isComment(item: unknown): item is Comment {
  const { id, body } = (item ?? {}) as Partial<Comment>;
  return typeof id === "number" && typeof body === "string";
}

/** @throws INVALID_SETTING if the variable is not set or empty */
export function setting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw invalidSetting(name, what, "nothing");
}

/** Removes trailing slashes. @throws INVALID_SETTING if the variable is not a URL */
export function urlSetting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const url = setting(env, name, what).replace(/\/+$/, "");
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw invalidSetting(name, what, url);
}

export function invalidSetting(name: string, what: string, got: string): ConfigurationError {
  return new ConfigurationError("INVALID_SETTING", `environment: '${name}' must be ${what}, got ${visible(got)}`);
}
