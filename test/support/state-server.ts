import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface StateUser {
  readonly name: string;
  readonly password: string;
  readonly mayWrite: boolean;
}

/**
 * A server for Terraform's http backend. It has one state per path. POST and DELETE to `<path>/lock` lock and unlock it, as in
 * GitLab.
 */
export class StateServer {
  readonly states = new Map<string, string>();
  readonly locks = new Map<string, { ID: string }>();
  /** `METHOD path status` of every request. */
  readonly log: string[] = [];
  failWrites = 0;
  private readonly server: Server;

  private constructor(private readonly users: readonly StateUser[]) {
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  /** @param users without users, everyone may do everything */
  static async start(users: readonly StateUser[] = []): Promise<StateServer> {
    const started = new StateServer(users);
    await new Promise<void>((resolve) => started.server.listen(0, "127.0.0.1", resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/state`;
  }

  /** The ids of the instances in a state, such as `capvs_clusters["prod"]`. */
  instances(name: string): string[] {
    const path = [...this.states.keys()].find((key) => key.endsWith(`/${name}`));
    const { resources = [] } = JSON.parse(this.states.get(path ?? "") ?? "{}") as {
      resources?: { name: string; instances: { index_key?: string }[] }[];
    };
    return resources.flatMap(({ name, instances }) =>
      instances.filter(({ index_key }) => index_key !== undefined).map(({ index_key }) => `${name}["${index_key}"]`),
    );
  }

  /** Also for a server that serves the states below its own path. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.answer(request, response);
    this.log.push(`${request.method} ${pathOf(request)} ${response.statusCode}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const end = (status: number, content = "") => void response.writeHead(status).end(content);
    const user = this.userOf(request);
    if (user === undefined) return end(401);
    if (request.method !== "GET" && !user.mayWrite) return end(403);

    const path = pathOf(request);
    if (path.endsWith("/lock")) return this.lock(request.method!, path.slice(0, -"/lock".length), body, end);
    if (request.method === "GET") {
      const state = this.states.get(path);
      return state === undefined ? end(404) : end(200, state);
    }
    const holder = this.locks.get(path);
    if (holder && new URL(request.url!, this.url).searchParams.get("ID") !== holder.ID) return end(423, JSON.stringify(holder));
    if (this.failWrites > 0) {
      this.failWrites--;
      return end(500);
    }
    this.states.set(path, body);
    end(200);
  }

  private lock(method: string, path: string, body: string, end: (status: number, content?: string) => void): void {
    const holder = this.locks.get(path);
    if (method === "POST") {
      if (holder) return end(423, JSON.stringify(holder));
      this.locks.set(path, JSON.parse(body) as { ID: string });
    } else {
      this.locks.delete(path);
    }
    end(200);
  }

  private userOf({ headers }: IncomingMessage): StateUser | undefined {
    if (this.users.length === 0) return { name: "", password: "", mayWrite: true };
    const given = Buffer.from((headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
    return this.users.find(({ name, password }) => `${name}:${password}` === given);
  }
}

const pathOf = ({ url }: IncomingMessage) => url!.split("?")[0]!;

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
