import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface StoredComment {
  readonly id: number;
  readonly author: string;
  body: string;
}

interface Failure {
  readonly match: RegExp;
  times: number;
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly json: object;
  /** Sent instead of JSON. */
  readonly text?: string;
  /** Whether the request is still carried out. */
  readonly after?: boolean;
}

/**
 * The parts of GitHub's and GitLab's APIs that `review --comment` uses. As strict as the originals: pages of at most 100,
 * tokens, and only the author may change a comment.
 */
export class CommentService {
  readonly comments: StoredComment[] = [];
  /** `METHOD /path?query` of every request. */
  readonly requests: string[] = [];
  readonly token = "token-of-the-pipeline";
  login = "github-actions[bot]";
  /** Whether GraphQL tells the token's user. */
  viewerIsKnown = true;
  readonly #failures: Failure[] = [];
  readonly #server: Server;

  private constructor(private readonly flavour: "github" | "gitlab") {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  }

  static async start(flavour: "github" | "gitlab"): Promise<CommentService> {
    const service = new CommentService(flavour);
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get env(): NodeJS.ProcessEnv {
    return this.flavour === "github"
      ? { GITHUB_TOKEN: this.token, GITHUB_REPOSITORY: "acme/infra", GITHUB_API_URL: this.url, GITHUB_REF: "refs/pull/7/merge" }
      : { GITLAB_TOKEN: this.token, CI_API_V4_URL: `${this.url}/api/v4`, CI_PROJECT_ID: "42", CI_MERGE_REQUEST_IID: "7" };
  }

  add(author: string, body: string): void {
    this.comments.push({ id: this.comments.length + 1, author, body });
  }

  fail(match: RegExp, status: number, options: Partial<Omit<Failure, "match" | "status">> = {}): void {
    this.#failures.push({ match, status, times: 1, json: { message: "as the test wants it" }, ...options });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const line = `${request.method} ${request.url}`;
    this.requests.push(line);
    const reply = (status: number, json?: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(json === undefined ? "" : JSON.stringify(json));

    const failure = this.#failures.find(({ match, times }) => times > 0 && match.test(line));
    if (failure) {
      failure.times--;
      if (failure.after) this.#answer(line, text);
      if (failure.text !== undefined) return void response.writeHead(failure.status, failure.headers).end(failure.text);
      return void reply(failure.status, failure.json, failure.headers);
    }
    if (request.headers.authorization !== `Bearer ${this.token}`) return void reply(401, { message: "Bad credentials" });
    const [status, json] = this.#answer(line, text);
    reply(status, json);
  }

  #answer(line: string, text: string): [number, unknown] {
    const sent = text ? (JSON.parse(text) as { body?: string; query?: string }) : {};
    const url = new URL(line.split(" ")[1]!, this.url);
    const page = Number(url.searchParams.get("page") ?? 1);
    const size = Math.min(100, Number(url.searchParams.get("per_page") ?? 30));
    const list = () => this.comments.slice((page - 1) * size, page * size).map((comment) => this.#shown(comment));
    const [collection, single] =
      this.flavour === "github"
        ? [/^(GET|POST) \/repos\/acme\/infra\/issues\/7\/comments/, /^PATCH \/repos\/acme\/infra\/issues\/comments\/(\d+)$/]
        : [
            /^(GET|POST) \/api\/v4\/projects\/42\/merge_requests\/7\/notes/,
            /^PUT \/api\/v4\/projects\/42\/merge_requests\/7\/notes\/(\d+)$/,
          ];

    if (line === "POST /graphql" && this.flavour === "github") {
      return this.viewerIsKnown
        ? [200, { data: { viewer: { login: this.login } } }]
        : [403, { message: "Resource not accessible by integration" }];
    }
    if (line === "GET /api/v4/user" && this.flavour === "gitlab") return [200, { id: idOf(this.login), username: this.login }];
    const [, method] = collection.exec(line) ?? [];
    if (method === "GET") return [200, list()];
    if (method === "POST") {
      this.add(this.login, sent.body!);
      return [201, this.#shown(this.comments.at(-1)!)];
    }
    const comment = this.comments.find(({ id }) => id === Number(single.exec(line)?.[1]));
    if (!comment) return [404, { message: "Not Found" }];
    if (comment.author !== this.login) return [403, { message: "Must be the author" }];
    comment.body = sent.body!;
    return [200, this.#shown(comment)];
  }

  #shown({ id, author, body }: StoredComment) {
    return this.flavour === "github"
      ? { id, body, user: { login: author } }
      : { id, body, system: author === "system", author: { id: idOf(author), username: author } };
  }
}

function idOf(login: string): number {
  return [...login].reduce((sum, character) => sum * 7 + character.charCodeAt(0), 0) % 100_000;
}
