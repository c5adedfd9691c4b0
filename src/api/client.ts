import type { Credentials } from "./credentials";
import { ApiError, ConfigurationError, ContractError } from "../model/errors";
import { ClusterList, ProviderList } from "./lists";
import type { JsonObject, TypeCode } from "../model/provider-type";
import { Redactor } from "../util/redaction";
import { isPage, readJson } from "./http/reply";
import { type ApiRequest, Requester, type RequestOptions, type Wire } from "./http/requester";
import type { Connection } from "./connection";

export type { ClusterList, LiveCluster, LiveProvider, ProviderList } from "./lists";
export type { RequestOptions } from "./http/requester";

export interface PlatformClientOptions {
  readonly connection: Connection;
  readonly credentials: Credentials;
  /** The redactor of the run. The client adds the token to it. @default - a new redactor */
  readonly redactor?: Redactor;
  /** Called with a line for every attempt of every request. Bodies are redacted. @default - no log */
  readonly log?: (line: string) => void;
  /** Called with a line for the first repetition of each request. @default - no warnings */
  readonly warn?: (line: string) => void;
  /** @default - the network and the clock of this machine */
  readonly wire?: Wire;
}

export type DeletionAnswer = "done" | "accepted" | "doubtful";

const PROVIDERS = "/api/v1/platform/providers";
const CLUSTERS = "/api/v1/clusters";

/**
 * The service's REST interface. Every method throws, by code:
 *
 * - failures of the service and of the network: UNREACHABLE, UNTRUSTED_CERTIFICATE, REDIRECTED, UNAUTHORIZED, FORBIDDEN,
 *   NOT_FOUND, CONFLICT, REJECTED, RATE_LIMITED and SERVICE_ERROR
 * - CONTRACT for a reply that cannot be used, DEADLINE_EXCEEDED, INTERRUPTED
 * - MISSING_TOKEN or INVALID_SETTING if there is no token
 */
export class PlatformClient {
  /** Without a slash at its end. */
  readonly url: string;
  /** Time limit of one attempt of a request. */
  readonly requestSeconds: number;
  readonly #requester: Requester;
  readonly #redactor: Redactor;

  constructor({ connection, credentials, redactor = new Redactor(), log, wire, warn }: PlatformClientOptions) {
    this.url = connection.url;
    this.requestSeconds = connection.requestSeconds;
    this.#redactor = redactor;
    this.#requester = new Requester(connection, credentials, redactor, log, wire, warn);
  }

  async listClusters(options?: RequestOptions): Promise<ClusterList> {
    return new ClusterList(CLUSTERS, await this.#json({ method: "GET", path: CLUSTERS }, options));
  }

  async listProviders(options?: RequestOptions): Promise<ProviderList> {
    return new ProviderList(PROVIDERS, await this.#json({ method: "GET", path: PROVIDERS }, options));
  }

  /** The service's clock, from the `Date` of a reply to a request with the token. */
  async clock(options: RequestOptions = {}): Promise<Date | undefined> {
    const { headers } = await this.#requester.send({ method: "GET", path: PROVIDERS }, options);
    const date = new Date(String(headers.date));
    return Number.isNaN(date.getTime()) ? undefined : date;
  }

  /** Resolves to the service's reply. Undefined if the reply is empty. */
  createProvider(type: TypeCode, body: JsonObject, options?: RequestOptions): Promise<unknown> {
    return this.#create(`${PROVIDERS}/${type}`, body, options);
  }

  /** Like {@link createProvider}. */
  createCluster(type: TypeCode, body: JsonObject, options?: RequestOptions): Promise<unknown> {
    return this.#create(`${PROVIDERS}/clusters/${type}`, body, options);
  }

  /**
   * `accepted`: the service deletes the object later (202). `doubtful`: the answer was 404, 410 or a web page. A proxy may send that,
   * so it does not show that this deletes the object.
   */
  async deleteProvider(type: TypeCode, name: string, options?: RequestOptions): Promise<DeletionAnswer> {
    return this.#delete(`${PROVIDERS}/${type}/`, name, options);
  }

  /** Like {@link deleteProvider}. */
  async deleteCluster(name: string, options?: RequestOptions): Promise<DeletionAnswer> {
    return this.#delete(`${CLUSTERS}/`, name, options);
  }

  /** Aborts all requests. */
  close(): Promise<void> {
    return this.#requester.close();
  }

  async #create(path: string, body: JsonObject, options?: RequestOptions): Promise<unknown> {
    return this.#json({ method: "POST", path, body }, options);
  }

  async #delete(parent: string, name: string, options: RequestOptions = {}): Promise<DeletionAnswer> {
    try {
      const reply = await this.#requester.send({ method: "DELETE", path: parent + segment(name) }, options);
      if (isPage(reply)) return "doubtful";
      return reply.status === 202 ? "accepted" : "done";
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return "doubtful";
      throw error;
    }
  }

  async #json(request: ApiRequest, options: RequestOptions = {}): Promise<unknown> {
    const reply = await this.#requester.send(request, options);
    if (request.method === "POST" && reply.text === "") return undefined;
    const read = readJson(reply, this.#redactor);
    if ("json" in read) return read.json;
    throw new ContractError(request.method, request.path, "", read.problem);
  }
}

/** True if the request was sent and no answer refuses it. Only the service's list then shows whether it was carried out. */
export function isAmbiguous(error: unknown): boolean {
  return (error as { ambiguous?: unknown } | undefined | null)?.ambiguous === true;
}

function segment(name: string): string {
  // URL parsers resolve these even when they are encoded. The request would then name the whole collection.
  if (!/^\.{0,2}$/.test(name) && Buffer.from(name).toString() === name) return encodeURIComponent(name);
  throw new ConfigurationError(
    "INVALID_SETTING",
    `'name' must be the name of a provider or cluster, got ${JSON.stringify(name)}; nothing was sent`,
  );
}
