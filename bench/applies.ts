import { secrets } from "./fleet";
import type { Program } from "./processes";
import { type Call, Service } from "./service";
import type { Stack } from "./stack";

/** An apply of a new stack against a service of its own, and the calls to that service. */
export class ServedApply {
  readonly program: Program;
  /** Destroys what the last apply has created. */
  readonly destroy: Program;
  calls: readonly Call[] = [];
  destroyCalls: readonly Call[] = [];
  /** Peak resident set of the service over all runs, in MiB. */
  servicePeak = 0;
  private service: Service | undefined;

  /** @param thenDestroy whether the service continues after the apply, until {@link destroy} has run */
  constructor(stack: Stack, provisionSeconds: number, { thenDestroy = false } = {}) {
    const apply = stack.apply();
    this.program = {
      ...apply,
      env: { ...apply.env, ...secrets },
      prepare: async () => {
        stack.forget();
        this.service = await Service.start({ provisionSeconds, deleteSeconds: 0 });
        return this.service.env;
      },
      conclude: async () => {
        this.calls = await this.service!.calls();
        if (!thenDestroy) await this.stop();
      },
    };
    const destroy = stack.destroy();
    this.destroy = {
      ...destroy,
      env: { ...destroy.env, ...secrets },
      prepare: () => this.service!.env,
      conclude: async () => {
        this.destroyCalls = (await this.service!.calls()).slice(this.calls.length);
        await this.stop();
      },
    };
  }

  /** The calls until the last object was created, and those of the wait. */
  get phases(): { readonly creating: readonly Call[]; readonly waiting: readonly Call[] } {
    const last = this.calls.findLastIndex(({ method }) => method === "POST") + 1;
    return { creating: this.calls.slice(0, last), waiting: this.calls.slice(last) };
  }

  private async stop(): Promise<void> {
    this.servicePeak = Math.max(this.servicePeak, await this.service!.stop());
  }
}
