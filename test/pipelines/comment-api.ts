import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { StateServer } from "../support/state-server";

interface Comment {
  id: number;
  body: string;
  readonly user: { login: string };
  readonly author: { id: number };
}

/**
 * The comments of one pull or merge request, with the API calls of GitHub and GitLab that a review uses. It also serves
 * GitLab's states.
 */
export class CommentApi {
  readonly comments: Comment[] = [];
  /** `METHOD path` of every request. */
  readonly requests: string[] = [];
  /** Tokens with write access. */
  readonly writers = new Set(["writing-token"]);
  private readonly server: Server;

  private constructor(state: StateServer) {
    this.server = createServer((request, response) => {
      if (request.url!.includes("/terraform/state/")) return void state.handle(request, response);
      void this.answer(request).then(([status, body]) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
    });
  }

  static async start(state: StateServer): Promise<CommentApi> {
    const started = new CommentApi(state);
    await new Promise<void>((resolve) => started.server.listen(0, "127.0.0.1", resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    const { method, headers } = request;
    const path = request.url!.split("?")[0]!;
    this.requests.push(`${method} ${path}`);
    const token = headers.authorization?.replace(/^Bearer /, "") ?? headers["private-token"];
    if (path === "/graphql") return [200, { data: { viewer: { login: "github-actions[bot]" } } }];
    if (path === "/user") return [200, { id: 7 }];
    if (method === "GET") return [200, this.comments];
    if (!this.writers.has(String(token))) return [403, { message: "Resource not accessible by integration" }];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { body } = JSON.parse(Buffer.concat(chunks).toString()) as { body: string };
    if (method === "POST") {
      this.comments.push({ id: this.comments.length + 1, body, user: { login: "github-actions[bot]" }, author: { id: 7 } });
      return [201, this.comments.at(-1)];
    }
    const comment = this.comments.find(({ id }) => id === Number(path.split("/").at(-1)));
    if (!comment) return [404, { message: "Not Found" }];
    comment.body = body;
    return [200, comment];
  }
}
