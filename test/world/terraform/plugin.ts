import type { Machine } from "../../../src/lifecycle/machine";
import { Log } from "../../../src/plugin/protocol/log";
import { provider } from "../../../src/plugin/resources/provider";
import type { Session } from "../../../src/plugin/resources/session";
import { diagnosticsOf } from "../../../src/plugin/server/diagnostics";
import type { Private, ProviderCall, Resource, Provider as ServedProvider } from "../../../src/plugin/server/provider";
import { withoutWriteOnly, type Attributes } from "../../../src/terraform/attributes";
import type { Diagnostic } from "../../../src/terraform/diagnostic";
import type { ObjectValue } from "../../../src/terraform/value";
import type { Kernel, Process, TimedCall } from "../kernel";
import { ConfigurationError } from "../../../src/model/errors";
import type { Answer, ApplyRequest, MoveRequest, Planned, PlanRequest, Provider, Shown, Stored } from "./provider";
import { conforming } from "./values";

/** How long a request or an answer travels, in milliseconds. */
const LATENCY_MS = [0.5, 2] as const;
/** As in src/plugin/protocol/lifetime.ts. */
const PARENT_CHECK_MS = 250;
const GRACE_MS = 3_000;

const NAME = "clusterplatform";
const SCHEMA = provider({});

export const PROVIDER_ATTRIBUTES = SCHEMA.attributes;

export function attributesOf(type: string): Attributes {
  return resourceIn(SCHEMA, type).attributes;
}

/** What a process says of a provider block or a resource block before it is configured. */
export function providerProblems(config: ObjectValue): Diagnostic[] {
  return reported((call) => SCHEMA.validate?.(config, call));
}

export function resourceProblems(type: string, config: ObjectValue): Diagnostic[] {
  return reported((call) => resourceIn(SCHEMA, type).validate?.(config, call));
}

function reported(work: (call: ProviderCall<Session>) => unknown): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  work({ report: (diagnostic) => void diagnostics.push(diagnostic) } as Partial<ProviderCall<Session>> as ProviderCall<Session>);
  return diagnostics;
}

/** A process that runs the real code of the provider, as src/plugin/server does, without the protocol. */
export class Plugin implements Provider {
  readonly #served: ServedProvider<Session>;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #abandoned = new AbortController();
  /** Ends each request that is not answered yet. */
  readonly #pending = new Set<() => void>();
  #configured: Session | undefined;
  readonly #run: number;
  readonly #calls = new Set<TimedCall>();
  #stoppedAt: number | undefined;

  constructor(
    private readonly kernel: Kernel,
    readonly process: Process,
    machine: Machine,
    env: NodeJS.ProcessEnv,
  ) {
    this.#served = provider(env, () => machine);
    this.#run = Number(machine.run);
    this.#log = new Log(
      NAME,
      {},
      (text) => this.#redacted(text),
      () => undefined,
    );
  }

  readonly attributesOf = attributesOf;

  validateProvider(config: ObjectValue): Promise<Answer<void>> {
    return this.#answer("validate", async (call) => this.#served.validate?.(config, call));
  }

  configure(config: ObjectValue): Promise<Answer<void>> {
    return this.#answer("configure", async (call) => {
      this.kernel.effect("starts");
      this.#configured = await this.#served.configure(config, call);
    });
  }

  validate(type: string, config: ObjectValue): Promise<Answer<void>> {
    return this.#answer("validate", async (call) => this.#resource(type).validate?.(config, call));
  }

  upgrade(type: string, _version: number, state: ObjectValue): Promise<Answer<ObjectValue>> {
    return this.#answer("upgrade", async () => {
      this.#resource(type).loaded?.(state);
      return this.#stored(type, state)!;
    });
  }

  read(type: string, stored: Stored): Promise<Answer<Stored>> {
    const work = async (call: ProviderCall<Session>) => {
      const request = { state: stored.state!, private: parsed(stored.private) };
      const { state, private: kept } = await this.#resource(type).read(request, call);
      return { state: this.#stored(type, state), private: json(kept) ?? stored.private };
    };
    return this.#answer(`read ${type}`, work, stored);
  }

  plan(type: string, request: PlanRequest): Promise<Answer<Planned>> {
    return this.#answer(`plan ${type}`, async (call) => {
      const result = await this.#resource(type).plan({ ...request, private: parsed(request.private) }, call);
      return {
        planned: this.#stored(type, result.planned),
        requiresReplace: result.requiresReplace ?? [],
        private: json(result.private) ?? request.private,
      };
    });
  }

  apply(type: string, { prior, planned, config, private: before }: ApplyRequest): Promise<Answer<Stored>> {
    const work = async (call: ProviderCall<Session>): Promise<Stored> => {
      const resource = this.#resource(type);
      const request = { config, private: parsed(before) };
      if (planned === null) {
        await resource.delete({ ...request, prior: prior! }, call);
        return { state: null };
      }
      const { state, private: kept } =
        prior === null
          ? await resource.create({ ...request, planned }, call)
          : await resource.update({ ...request, prior, planned }, call);
      return { state: this.#stored(type, state), private: json(kept) ?? before };
    };
    const command = planned === null ? "delete" : prior === null ? "create" : "update";
    return this.#answer(`${command} ${type}`, work, { state: prior, private: before });
  }

  import(type: string, id: string): Promise<Answer<Stored>> {
    const work = async (call: ProviderCall<Session>) =>
      this.#storedObject(type, await this.#resource(type).import!({ id }, call));
    return this.#answer(`import ${type}`, work);
  }

  move(type: string, { sourceType }: MoveRequest): Promise<Answer<Stored>> {
    const refusal = new ConfigurationError("INVALID_SETTING", `a ${sourceType} cannot be moved to a ${type}`);
    return this.#answer(`move ${type}`, () => Promise.reject(refusal));
  }

  // What happens to the process.

  /** StopProvider, or SIGTERM. */
  stop(reason = "Terraform has sent StopProvider"): void {
    this.#soon(0, () => this.#stop(reason));
  }

  /** The orderly end. Terraform waits for it. */
  async close(): Promise<void> {
    await this.#answer("close", async () => {
      this.kernel.effect("ends");
      if (!this.process.dead) this.#served.close?.();
    });
    this.process.dead = true;
  }

  kill(): void {
    if (this.process.dead) return;
    this.process.dead = true;
    for (const fail of this.#pending) fail();
  }

  /** Terraform was killed. The process notices, and ends when no request runs any more. */
  terraformIsGone(): void {
    this.#soon(PARENT_CHECK_MS * this.kernel.random(), () => {
      this.#stop("Terraform is gone");
      this.#abandoned.abort(new Error("Terraform is gone"));
      this.#endIfIdle();
      this.#soon(GRACE_MS, () => this.kill());
    });
  }

  #stop(reason: string): void {
    this.#stoppedAt ??= this.kernel.now;
    for (const call of this.#calls) call.stoppedAt ??= this.kernel.now;
    if (!this.#stopping.signal.aborted) this.#stopping.abort(new Error(reason));
  }

  #endIfIdle(): void {
    if (this.#abandoned.signal.aborted && this.#pending.size === 0) this.process.dead = true;
  }

  #soon(milliseconds: number, act: () => void): void {
    this.kernel.schedule(milliseconds, act, this.process);
  }

  // Requests.

  /** @param otherwise the result after an error */
  #answer<Result>(
    what: string,
    work: (call: ProviderCall<Session>) => Promise<Result>,
    otherwise?: Result,
  ): Promise<Answer<Result>> {
    const { kernel, process } = this;
    const call: TimedCall = { what, run: this.#run, startedAt: kernel.now, stoppedAt: this.#stoppedAt && kernel.now };
    const caller = kernel.current;
    return new Promise((resolve) => {
      const settle = (answer: Answer<Result>) => {
        this.#pending.delete(die);
        kernel.schedule(this.#latency(), () => resolve(answer), caller);
      };
      const die = () => settle({ diagnostics: [CRASHED] });
      this.#pending.add(die);
      if (process.dead) return die();
      this.#soon(this.#latency(), async () => {
        this.#calls.add(call);
        const answer = await this.#carriedOut(work, otherwise);
        if (process.dead) return;
        this.#calls.delete(call);
        call.endedAt = kernel.now;
        kernel.onCall?.(call);
        settle(answer);
        this.#endIfIdle();
      });
    });
  }

  async #carriedOut<Result>(work: (call: ProviderCall<Session>) => Promise<Result>, otherwise?: Result): Promise<Answer<Result>> {
    const reported: Diagnostic[] = [];
    try {
      const result = await work(this.#call(reported));
      return { result, diagnostics: this.#shown(reported) };
    } catch (error) {
      return { result: otherwise, diagnostics: this.#shown([...reported, ...diagnosticsOf(error, NAME)]) };
    }
  }

  #call(reported: Diagnostic[]): ProviderCall<Session> {
    const configured = () => {
      if (this.#configured === undefined) throw new Error("the provider is not configured");
      return this.#configured;
    };
    return {
      get configured() {
        return configured();
      },
      stopping: this.#stopping.signal,
      abandoned: this.#abandoned.signal,
      log: this.#log,
      report: (diagnostic) => void reported.push(diagnostic),
    };
  }

  #shown(diagnostics: readonly Shown[]): Shown[] {
    return diagnostics.map(({ severity, summary, detail = "", path, remedies }) => ({
      severity,
      summary: this.#redacted(summary),
      detail: this.#redacted(detail),
      path,
      remedies,
    }));
  }

  #redacted(text: string): string {
    return this.#served.redact?.(text) ?? text;
  }

  #resource(type: string): Resource<Session> {
    return resourceIn(this.#served, type);
  }

  /** The protocol allows no other values than those of the schema. */
  #stored(type: string, state: ObjectValue | null): ObjectValue | null {
    const attributes = this.attributesOf(type);
    return state && conforming(attributes, withoutWriteOnly(attributes, state));
  }

  #storedObject(type: string, { state, private: kept }: { readonly state: ObjectValue; readonly private?: Private }): Stored {
    return { state: this.#stored(type, state), private: json(kept) };
  }

  #latency(): number {
    const [least, most] = LATENCY_MS;
    return least + (most - least) * this.kernel.random();
  }
}

const CRASHED: Diagnostic = { severity: "error", summary: "[PLUGIN_DIED] Plugin did not respond" };

function resourceIn({ resources }: ServedProvider<Session>, type: string): Resource<Session> {
  const resource = resources[type];
  if (resource === undefined) throw new Error(`the provider has no resource type ${type}`);
  return resource;
}

function json(kept: Private | undefined): string | undefined {
  return kept && JSON.stringify(kept);
}

function parsed(kept: string | undefined): Private | undefined {
  return kept === undefined ? undefined : (JSON.parse(kept) as Private);
}
