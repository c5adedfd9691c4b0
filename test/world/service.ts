import { objectOf } from "../../src/model/object-ref";
import type { Connection } from "../../src/api/connection";
import type { Wire } from "../../src/api/http/requester";
import { TransportFailure, type WireReply, type WireRequest } from "../../src/api/http/transport";
import type { JsonObject, Kind, TypeCode } from "../../src/model/provider-type";
import { clusterNameOf, providerNameOf } from "../../src/simulator/bodies";
import { clusterStatus } from "../../src/simulator/cluster-lifecycle";
import { listItem } from "../../src/simulator/cluster-list";
import { Inventory } from "../../src/simulator/inventory";
import type { SimulatedCluster, SimulatedProvider } from "../../src/simulator/objects";
import { providerList } from "../../src/simulator/provider-list";
import { Refusal } from "../../src/simulator/refusal";
import { repliesOf } from "../../src/simulator/types";
import { Counts } from "./counts";
import type { Kernel, Method, Process } from "./kernel";

type Simulated = SimulatedCluster | SimulatedProvider;

/** Who sent a request: a run of the stack, or somebody else. */
export interface Actor {
  readonly name: string;
  /** The run of Terraform. Undefined for somebody else. */
  readonly run?: number;
  /** The hook or the plugin that sends the requests. */
  readonly process?: Process;
}

export const SOMEBODY_ELSE: Actor = { name: "somebody else" };

/** One life of one object. Two objects with one name are two lives. */
export interface Life {
  readonly number: number;
  /** `type/kind/name` */
  readonly id: string;
  readonly object: Simulated;
  /** How long a cluster takes to become ready. */
  readonly provisionSeconds: number;
  readonly by: Actor;
  readonly from: number;
  /** Whether the POST was carried out after its sender had given it up. */
  readonly isMadeLate: boolean;
  /** Whether the sender of the POST got the answer. */
  isAnswered?: boolean;
  /** When its deletion was requested. */
  leavingAt?: number;
  /** When it was gone. */
  to?: number;
  removedBy?: Actor;
  /** When the DELETE was sent that was carried out. */
  removalSentAt?: number;
  /** Whether the DELETE was carried out after its sender had given it up. */
  isRemovedLate?: boolean;
  /** Whether the sender of a DELETE got the answer. */
  isRemovalAnswered?: boolean;
}

/** What happens to a request. */
export type Fault =
  /** Answered with a status, not carried out. */
  | { readonly kind: "refuse"; readonly status: number; readonly retryAfter?: number }
  /** Refused with a text that repeats the body, encoded as JSON in JSON, in base64 or in hexadecimal. */
  | { readonly kind: "repeat"; readonly encoding: "json" | "base64" | "hex" }
  /** Carried out; the connection breaks before the answer. */
  | { readonly kind: "lose" }
  /** The connection breaks; carried out later. */
  | { readonly kind: "late"; readonly seconds: number }
  /** Not carried out; the connection breaks. */
  | { readonly kind: "drop" }
  /** Answered with something that is no reply of the service. A POST or DELETE is carried out or not. */
  | { readonly kind: "garbage"; readonly status: number; readonly carriedOut: boolean }
  /** A list is answered with its first objects only, and with the count of all. */
  | { readonly kind: "partial" }
  /** Neither carried out nor answered. */
  | { readonly kind: "hang" };

type ServiceRequest = WireRequest & { readonly method: Method };

export interface PlannedFault {
  readonly method: Method;
  /** The kind of the objects that the requests are about. @default both */
  readonly of?: Kind;
  /** How many such requests pass before. */
  readonly skip: number;
  readonly times: number;
  readonly fault: Fault;
}

/** How lists differ from what the service has. */
export type View =
  /** They show an earlier time, but never an earlier one than when the lag began. */
  | { readonly kind: "lag"; readonly seconds: number }
  /** They show what was so many seconds ago. */
  | { readonly kind: "stale"; readonly seconds: number }
  /** Each list comes from one of two replicas. One is stale. */
  | { readonly kind: "replicas"; readonly seconds: number }
  /** They lack objects: one name, or all. */
  | { readonly kind: "hide"; readonly name: string | "*" }
  /** They show empty fields. */
  | {
      readonly kind: "empty";
      readonly fields: readonly ("providerConfigID" | "phase" | "apiEndpoint" | "workersGroups" | "ingress")[];
    };

/** What the service does with clusters. */
export interface Habits {
  readonly provisionSeconds: number;
  readonly deleteSeconds: number;
  readonly providerReadySeconds: number;
  /** How long the answer to each list takes. */
  readonly listSeconds: number;
  /** Names of clusters whose phase stays as it is here. */
  readonly phases: Readonly<Record<string, string>>;
  /** Whether the service stores names of clusters in upper case. */
  readonly upperCase: boolean;
}

export const GOOD_HABITS: Habits = {
  provisionSeconds: 0,
  deleteSeconds: 0,
  providerReadySeconds: 0,
  listSeconds: 0,
  phases: {},
  upperCase: false,
};

export interface LogEntry {
  readonly at: number;
  readonly method: Method;
  readonly path: string;
  readonly outcome: string;
  readonly by: Actor;
  /** Of a list: the time that it shows. */
  readonly shows?: number;
}

/** A request as its sender sees it. */
export interface SeenRequest {
  readonly at: number;
  readonly method: Method;
  /** The object of a write, or the kind of a list. */
  readonly about: string;
  readonly by: Actor;
  /** Undefined if the sender gets no answer of the service. */
  status?: number;
}

const LATENCY_MS = 20;

/** The embedded service's model behind a wire that fails in every way. It has its own memory of what lived, and who did it. */
export class Service {
  readonly lives: Life[] = [];
  readonly log: LogEntry[] = [];
  readonly requests: SeenRequest[] = [];
  /** Faults and views, by the kind of request that each has hit. */
  readonly faultCounts = new Counts();
  /** Called when a DELETE of a live object is carried out. */
  onDelete: ((life: Life, actor: Actor) => void) | undefined;
  habits: Habits = GOOD_HABITS;
  /** Whether lists show the phase Deleting. The interface has no phase for a deletion, but many services show this one. */
  isDeletionShown = false;
  readonly #inventory: Inventory;
  #faults: { planned: PlannedFault; skip: number; times: number }[] = [];
  #views: { view: View; from: number; until: number }[] = [];
  #seen = 0;
  #actor = SOMEBODY_ELSE;
  #isLate = false;

  constructor(
    private readonly kernel: Kernel,
    readonly url: string,
  ) {
    const timing = () => this.habits;
    this.#inventory = new Inventory(
      {
        get provisionSeconds() {
          return timing().provisionSeconds;
        },
        get deleteSeconds() {
          return timing().deleteSeconds;
        },
        get providerReadySeconds() {
          return timing().providerReadySeconds;
        },
      },
      false,
      () => kernel.now,
    );
  }

  /** What a run of Terraform created and deleted, in order, as in `-c1 +c1`. */
  writesOf(run: number): string {
    const writes = this.lives.flatMap(({ id, by, from, removedBy, removalSentAt }) => [
      ...(by.run === run ? [{ at: from, what: `+${objectOf(id).name}` }] : []),
      ...(removedBy?.run === run ? [{ at: removalSentAt!, what: `-${objectOf(id).name}` }] : []),
    ]);
    return writes
      .sort((one, other) => one.at - other.at)
      .map(({ what }) => what)
      .join(" ");
  }

  /** The object of this id that lives now and is not being deleted. */
  live(id: string): Life | undefined {
    this.#note();
    return this.lives.findLast((life) => life.id === id && life.to === undefined && life.leavingAt === undefined);
  }

  /** How long the deletion of an object takes, or has taken until now. */
  deletionMs({ leavingAt = Infinity, to = this.kernel.now }: Life): number {
    return to - leavingAt;
  }

  /** Whether an object of this id has lived since. */
  hasLived(id: string, since: number): boolean {
    this.#note();
    return this.lives.some((life) => life.id === id && (life.to === undefined || life.to >= since));
  }

  get allLive(): Life[] {
    this.#note();
    return this.lives.filter((life) => life.to === undefined && life.leavingAt === undefined);
  }

  /** Whether the cluster is ready now. */
  isReady({ object, provisionSeconds }: Life): boolean {
    const { phases } = this.habits;
    const { phase } = clusterStatus(object, provisionSeconds * 1000, this.kernel.now);
    return (phases[object.name] ?? phase) === "Provisioned";
  }

  /** Whether lists are true now. */
  get isTrue(): boolean {
    return this.#viewsNow.length === 0;
  }

  /** The kinds of the views that lists have now. */
  get #viewsNow(): View["kind"][] {
    return this.#views.flatMap(({ view, until }) => (this.kernel.now < until ? [view.kind] : []));
  }

  /** Whether a request that its sender has given up may still be carried out. */
  get isExpectingLate(): boolean {
    return this.#lateUntil > this.kernel.now;
  }

  /** What lists show to whom they answer now. */
  lists(): { readonly clusters: unknown; readonly providers: unknown } {
    return { clusters: JSON.parse(this.#clusterList()), providers: this.#providerList() };
  }

  plan(fault: PlannedFault): void {
    this.#faults.push({ planned: fault, skip: fault.skip, times: fault.times });
  }

  show(view: View, seconds: number): void {
    this.#views.push({ view, from: this.kernel.now, until: this.kernel.now + seconds * 1000 });
  }

  /** From now on every request is carried out and answered, and lists are true. Requests that come late stay late. */
  behave(): void {
    this.#faults = [];
    this.#views = [];
    this.habits = GOOD_HABITS;
  }

  /** From the next run on, no fault of an earlier one is left. Lists may still be wrong. */
  forgetFaults(): void {
    this.#faults = [];
  }

  // What somebody else does.

  otherCreates(kind: Kind, type: TypeCode, body: object): void {
    this.#other(() => {
      if (kind === "clusters") this.#inventory.createCluster(type, body, true);
      else this.#inventory.createProvider(type, body);
    });
  }

  /** A registration in use stays. */
  otherRemoves(kind: Kind, type: TypeCode, name: string): void {
    this.#other(() => {
      if (kind === "clusters") this.#inventory.remove(kind, type, name);
      else this.#inventory.deleteProvider(type, name);
    });
  }

  #other(act: () => void): void {
    this.#as(SOMEBODY_ELSE, () => {
      try {
        act();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    });
  }

  // Requests.

  wireOf(process: Process, actor: Actor, { requestSeconds }: Connection): Wire {
    return {
      clock: this.kernel.clockOf(process.computer),
      random: this.kernel.random,
      transport: {
        send: (request) => this.#send(request as ServiceRequest, requestSeconds, process, { ...actor, process }),
        close: async () => undefined,
      },
    };
  }

  #send(request: ServiceRequest, requestSeconds: number, process: Process, actor: Actor): Promise<WireReply> {
    const { kernel } = this;
    return new Promise((resolve, reject) => {
      let isSent = false;
      let isSettled = false;
      const settle = (conclude: () => void) => {
        if (isSettled) return;
        isSettled = true;
        expiring?.();
        lasting();
        request.signal?.removeEventListener("abort", interrupt);
        conclude();
      };
      const fail = (reason: TransportFailure["reason"], cause: unknown) =>
        settle(() => reject(new TransportFailure(reason, isSent, undefined, cause)));
      const interrupt = () => fail("interrupted", request.signal!.reason);
      const later = (act: () => void, ms = LATENCY_MS * (0.5 + kernel.random())) => void kernel.schedule(ms, act, process);
      const breakOff = () => later(() => fail("failed", Object.assign(new Error("connection reset"), { code: "ECONNRESET" })));
      const answer = ({ status, text, headers = {}, made, removed, seen }: Answer) =>
        later(() => {
          kernel.effect(`answered ${request.method}`);
          if (process.dead || isSettled) return;
          if (made) made.isAnswered = true;
          if (removed) removed.isRemovalAnswered = true;
          if (seen) seen.status = status;
          settle(() => resolve({ status, headers, text }));
        });

      const left = request.limitMs ?? Infinity;
      const expiring = left === Infinity ? undefined : kernel.schedule(left, () => fail("deadline", undefined), process);
      const timeout = () => fail("failed", Object.assign(new Error("no answer in time"), { code: "REQUEST_TIMEOUT" }));
      const lasting = kernel.schedule(requestSeconds * 1000, timeout, process);
      if (request.signal?.aborted) return interrupt();
      if (left <= 0) return fail("deadline", undefined);
      request.signal?.addEventListener("abort", interrupt);

      kernel.effect(`sends ${request.method}`);
      if (process.dead) return;
      isSent = true;
      // The service does not die with the process.
      const sentAt = kernel.now;
      kernel.schedule(
        LATENCY_MS * (0.5 + kernel.random()),
        () => this.#arrive(request, sentAt, actor, { answer, breakOff }),
        undefined,
      );
    });
  }

  #arrive(
    request: ServiceRequest,
    sentAt: number,
    actor: Actor,
    { answer: give, breakOff }: { answer: (answer: Answer) => void; breakOff: () => void },
  ): void {
    const { kernel } = this;
    kernel.effect(`arrives ${request.method}`);
    const seen: SeenRequest = { at: kernel.now, method: request.method, about: aboutOf(request), by: actor };
    this.requests.push(seen);
    const isList = request.method === "GET";
    const answer = (reply: Answer) => {
      const seconds = isList ? this.habits.listSeconds : 0;
      void kernel.schedule(seconds * 1000, () => give({ ...reply, seen }), undefined);
    };
    const told = (outcome: string) => {
      const { method, path } = request;
      this.log.push({ at: kernel.now, method, path, outcome, by: actor, ...(isList && { shows: this.#viewedAt }) });
    };
    const carryOut = (isLate = false) => {
      const reply = this.#handle(request, sentAt, actor, isLate);
      told(String(reply.status));
      kernel.effect(`carried out ${request.method}`);
      return reply;
    };
    const fault = this.#faultFor(request);
    if (fault) this.faultCounts.add(fault.kind, kindOf(request));
    switch (fault?.kind) {
      case "refuse":
        told(`refused with ${fault.status}`);
        return answer({ ...refusal(fault.status), headers: fault.retryAfter ? { "retry-after": String(fault.retryAfter) } : {} });
      case "repeat":
        told(`refused with 400 that repeats the body (${fault.encoding})`);
        return answer({ status: 400, text: JSON.stringify({ error: { message: encoded(request.body ?? "", fault.encoding) } }) });
      case "garbage":
        if (fault.carriedOut) carryOut();
        told(`garbage with ${fault.status}`);
        return give({ status: fault.status, text: "<html>proxy</html>" });
      case "drop":
        told("lost before it was carried out");
        return breakOff();
      case "partial":
        return answer(withCountOf(1, carryOut()));
      case "hang":
        return void told("hangs");
      case "late":
        told(`comes ${fault.seconds} s late`);
        this.#lateUntil = Math.max(this.#lateUntil, kernel.now + fault.seconds * 1000);
        kernel.schedule(fault.seconds * 1000, () => carryOut(true), undefined);
        return breakOff();
      case "lose":
        carryOut();
        told("answer lost");
        return breakOff();
      case undefined:
        return answer(carryOut());
    }
  }

  #faultFor({ method, path }: ServiceRequest): Fault | undefined {
    const kind: Kind = path.includes("/clusters") ? "clusters" : "providers";
    const isMeant = ({ method: meant, of = kind }: PlannedFault) => meant === method && of === kind;
    const next = this.#faults.find(({ planned, times }) => isMeant(planned) && times > 0);
    if (next === undefined) return undefined;
    if (next.skip > 0) {
      next.skip--;
      return undefined;
    }
    next.times--;
    return next.planned.fault;
  }

  #handle(request: ServiceRequest, sentAt: number, actor: Actor, isLate: boolean): Answer {
    const { method, path, body } = request;
    if (method === "GET") for (const kind of this.#viewsNow) this.faultCounts.add(kind, kindOf(request));
    const parts = path.split("/").slice(3).map(decodeURIComponent);
    this.#note();
    this.#isLate = isLate;
    try {
      if (path === "/api/v1/clusters") return { status: 200, text: this.#clusterList() };
      if (path === "/api/v1/platform/providers") return { status: 200, text: JSON.stringify(this.#providerList()) };
      if (method === "POST") {
        const isCluster = parts[2] === "clusters";
        const type = parts.at(-1) as TypeCode;
        const json = this.#stored(body!);
        const reply = this.#as(actor, () =>
          isCluster
            ? repliesOf(type).clusterCreated(this.#inventory.createCluster(type, json))
            : repliesOf(type).providerCreated(this.#inventory.createProvider(type, json).body),
        );
        return { status: 201, text: JSON.stringify(reply), made: this.lives.at(-1) };
      }
      const isCluster = parts[0] === "clusters";
      const type = parts[2] as TypeCode;
      const name = this.habits.upperCase ? parts.at(-1)!.toUpperCase() : parts.at(-1)!;
      this.#note();
      const life = this.lives.findLast(
        ({ object, to }) =>
          to === undefined &&
          object.name === name &&
          (isCluster ? object.kind === "clusters" : object.kind === "providers" && object.type === type),
      );
      const wasThere = life !== undefined && life.leavingAt === undefined;
      this.#as(actor, () => (isCluster ? this.#inventory.deleteCluster(name) : this.#inventory.deleteProvider(type, name)));
      if (wasThere) {
        life.leavingAt ??= this.kernel.now;
        life.removedBy = actor;
        life.removalSentAt = sentAt;
        life.isRemovedLate = isLate;
        this.onDelete?.(life, actor);
      }
      return { status: life && life.to === undefined ? 202 : 204, text: "", removed: life };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, text: JSON.stringify(error.body) };
    } finally {
      this.#isLate = false;
    }
  }

  #stored(body: string): unknown {
    const json = JSON.parse(body) as { cluster?: { clusterName?: string } };
    if (this.habits.upperCase && json.cluster?.clusterName) json.cluster.clusterName = json.cluster.clusterName.toUpperCase();
    return json;
  }

  #as<T>(actor: Actor, act: () => T): T {
    this.#note();
    this.#actor = actor;
    try {
      return act();
    } finally {
      this.#note();
      this.#actor = SOMEBODY_ELSE;
    }
  }

  /** Records what the inventory's events say. */
  #note(): void {
    const { events } = this.#inventory;
    for (; this.#seen < events.length; this.#seen++) {
      const { action, kind, type, name, at } = events[this.#seen]!;
      const id = `${type}/${kind}/${name}`;
      if (action === "created") {
        const all: Iterable<Simulated> = kind === "clusters" ? this.#inventory.clusters : this.#inventory.providers;
        const object = [...all].find((each) => each.name === name && each.type === type)!;
        const { provisionSeconds } = this.habits;
        const [number, by, isMadeLate] = [this.lives.length, this.#actor, this.#isLate];
        this.lives.push({ number, id, object, provisionSeconds, by, from: at, isMadeLate });
      } else {
        const life = this.lives.findLast((each) => each.id === id)!;
        life.to = at;
        life.leavingAt ??= at;
        life.removedBy ??= this.#actor;
      }
    }
  }

  // What lists show.

  #shown(kind: Kind): (Simulated & Pick<Life, "provisionSeconds">)[] {
    this.#note();
    const { now } = this.kernel;
    const views = this.#views.filter(({ until }) => now < until);
    let at = now;
    const hidden = new Set<string>();
    for (const { view, from } of views) {
      if (view.kind === "lag") at = Math.min(at, Math.max(now - view.seconds * 1000, from));
      if (view.kind === "stale") at = Math.min(at, now - view.seconds * 1000);
      if (view.kind === "replicas" && this.kernel.random() < 0.5) at = Math.min(at, now - view.seconds * 1000);
      if (view.kind === "hide") hidden.add(view.name);
    }
    this.#viewedAt = at;
    return this.lives
      .filter(({ from, to, object }) => object.kind === kind && from <= at && !(to !== undefined && to <= at))
      .filter(({ object }) => !hidden.has("*") && !hidden.has(object.name))
      .map(({ object, provisionSeconds, leavingAt }) => ({
        ...object,
        provisionSeconds,
        goneAt: leavingAt !== undefined && leavingAt <= at ? leavingAt : undefined,
      }));
  }

  #viewedAt = 0;
  #lateUntil = -Infinity;

  #clusterList(): string {
    const { phases } = this.habits;
    const empty = this.#views.flatMap(({ view, until }) => (view.kind === "empty" && this.kernel.now < until ? view.fields : []));
    const items = (this.#shown("clusters") as (SimulatedCluster & Pick<Life, "provisionSeconds">)[]).map((cluster) => {
      const item = listItem(cluster, clusterStatus(cluster, cluster.provisionSeconds * 1000, this.#viewedAt));
      if (phases[cluster.name] !== undefined && cluster.goneAt === undefined) item.phase = phases[cluster.name];
      if (cluster.goneAt !== undefined && this.isDeletionShown) item.phase = "Deleting";
      // Some services change all conditions of an object that leaves.
      else if (cluster.goneAt !== undefined)
        item.conditions = notMet(item.conditions as readonly object[] | null, cluster.goneAt);
      for (const field of empty) item[field] = field === "workersGroups" ? null : "";
      return item;
    });
    return JSON.stringify({ items, count: items.length });
  }

  #providerList(): unknown {
    const providers = this.#shown("providers");
    return providerList({ providers, clustersOf: () => [] } as unknown as Inventory);
  }
}

const REQUESTS = ["GET clusters", "GET providers", "POST cluster", "POST provider", "DELETE cluster", "DELETE provider"] as const;
const [GETS, POSTS] = [REQUESTS.slice(0, 2), REQUESTS.slice(2, 4)];

/** The requests that each fault and each view can hit. */
export const HITS: Readonly<Record<Fault["kind"] | View["kind"], readonly (typeof REQUESTS)[number][]>> = {
  refuse: REQUESTS,
  // It repeats the body.
  repeat: POSTS,
  lose: REQUESTS,
  late: REQUESTS,
  drop: REQUESTS,
  garbage: REQUESTS,
  partial: GETS,
  hang: REQUESTS,
  lag: GETS,
  stale: GETS,
  replicas: GETS,
  hide: GETS,
  // Of clusters.
  empty: ["GET clusters"],
};

function kindOf({ method, path }: ServiceRequest): (typeof REQUESTS)[number] {
  const isCluster = path.includes("/clusters");
  if (method === "GET") return isCluster ? "GET clusters" : "GET providers";
  return `${method as "POST" | "DELETE"} ${isCluster ? "cluster" : "provider"}`;
}

function aboutOf({ method, path, body }: ServiceRequest): string {
  if (method === "GET") return path.includes("/providers") ? "providers" : "clusters";
  const isCluster = path.includes("/clusters");
  const [type, name] = path.split("/").slice(-2).map(decodeURIComponent);
  if (method === "DELETE") return isCluster ? `clusters/${name}` : `${type}/providers/${name}`;
  const json = JSON.parse(body!) as JsonObject;
  return isCluster ? `clusters/${clusterNameOf(json)}` : `${name}/providers/${providerNameOf(json)}`;
}

/** As a {@link SeenRequest} calls the object. All clusters share one namespace. */
export function aboutObject(id: string): string {
  const { type, kind, name } = objectOf(id);
  return kind === "clusters" ? `clusters/${name}` : `${type}/${kind}/${name}`;
}

/** The service has done nothing. */
export function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Record<string, string>;
  readonly made?: Life;
  readonly removed?: Life;
  readonly seen?: SeenRequest;
}

/** A list that says that there are more objects than it has. */
function withCountOf(more: number, { status, text }: Answer): Answer {
  const list = JSON.parse(text) as { count?: number };
  return { status, text: JSON.stringify(list.count === undefined ? list : { ...list, count: list.count + more }) };
}

function refusal(status: number): Answer {
  return { status, text: JSON.stringify({ error: { code: "REFUSED", message: "refused by the world" } }) };
}

function encoded(body: string, encoding: "json" | "base64" | "hex"): string {
  if (encoding === "base64") return Buffer.from(body).toString("base64").replace(/.{76}/g, "$&\n");
  if (encoding === "hex") return Buffer.from(body).toString("hex");
  return JSON.stringify(body).replaceAll("/", "\\/").replaceAll("=", "\\u003D");
}

function notMet(conditions: readonly object[] | null, at: number): object[] | null {
  return conditions && conditions.map((each) => ({ ...each, status: "False", lastTransitionTime: new Date(at).toISOString() }));
}
