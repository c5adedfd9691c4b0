import { secrets } from "./fleet";
import type { Program } from "./processes";
import { type Call, Service } from "./service";
import type { Stack } from "./stack";

/** An apply of a new stack against a service of its own, and the calls to that service. */
export class ServedApply {
  readonly program: Program;
  calls: readonly Call[] = [];
  /** Peak resident set of the service over all runs, in MiB. */
  servicePeak = 0;

  constructor(stack: Stack, provisionSeconds: number) {
    const apply = stack.apply();
    let service: Service | undefined;
    this.program = {
      ...apply,
      env: { ...apply.env, ...secrets },
      prepare: async () => {
        stack.forget();
        service = await Service.start({ provisionSeconds, deleteSeconds: 0 });
        return service.env;
      },
      conclude: async () => {
        this.calls = await service!.calls();
        this.servicePeak = Math.max(this.servicePeak, await service!.stop());
      },
    };
  }

  /** The calls until the last object was created, and those of the wait. */
  get phases(): { readonly creating: readonly Call[]; readonly waiting: readonly Call[] } {
    const last = this.calls.findLastIndex(({ method }) => method === "POST") + 1;
    return { creating: this.calls.slice(0, last), waiting: this.calls.slice(last) };
  }
}
