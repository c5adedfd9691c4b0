import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProviderCall, Provider, Resource } from "../../../src/plugin/server/provider";
import { typeOf, type Attributes } from "../../../src/terraform/attributes";
import { decode, encode } from "../../../src/plugin/values/codec";
import { isSame, Unknown, UNKNOWN, type ObjectValue } from "../../../src/terraform/value";

/** For tests that watch the plugin from outside. */
function note(event: string): void {
  if (process.env.TINY_LOG) appendFileSync(process.env.TINY_LOG, `${event}\n`);
}

class CodedError extends Error {
  readonly code = "TINY_REFUSED";
}

const optional = { optional: true } as const;

const thing: Attributes = {
  name: { type: "string", required: true },
  number: { type: "number", ...optional },
  flag: { type: "bool", ...optional },
  tags: { type: ["set", "string"], ...optional },
  labels: { type: ["map", "string"], ...optional },
  anything: { type: "dynamic", ...optional },
  password: { type: "string", sensitive: true, ...optional },
  key: {
    ...optional,
    nested: {
      nesting: "map",
      attributes: {
        env: { type: "string", ...optional },
        value_wo: { type: "string", writeOnly: true, ...optional },
      },
    },
  },
  /** Selects a failure. */
  trouble: { type: "string", ...optional },
  id: { type: "string", computed: true },
  key_bytes: { type: "number", computed: true },
};

const type = typeOf(thing);

const resource: Resource<{ greeting: string }> = {
  attributes: thing,
  identity: ["name"],

  validate: ({ number }, call) => {
    if (typeof number === "number" && number < 0) {
      call.report({ severity: "error", summary: "number must not be negative", detail: "Leave it out.", path: ["number"] });
    }
  },

  read: async ({ state, private: kept }, call) => {
    call.log.info("reading", { name: String(state.name), greeting: call.configured.greeting, made: String(kept?.made) });
    await trouble(state, "read", call);
    return { state };
  },

  plan: ({ prior, proposed, private: kept }, call) => {
    if (proposed === null) {
      if (prior?.trouble === "protected") {
        throw Object.assign(new CodedError("the thing is protected"));
      }
      return { planned: null };
    }
    if (prior && isSame(type, withoutComputed(prior), withoutComputed(proposed))) return { planned: prior };
    call.log.debug("planning", { number: proposed.number instanceof Unknown ? "unknown" : String(proposed.number) });
    return {
      planned: { ...proposed, id: prior?.id ?? UNKNOWN, key_bytes: UNKNOWN },
      requiresReplace: prior && prior.name !== proposed.name ? [["name"]] : [],
      private: { ...kept, planned: true },
    };
  },

  create: async ({ planned, config, private: kept }, call) => {
    note(`create ${String(planned.name)}`);
    await trouble(planned, "create", call);
    return { state: made(planned, config!), private: { ...kept, made: "here" } };
  },

  update: ({ planned, config }) => ({ state: made(planned, config!) }),

  delete: async ({ prior }, call) => {
    note(`delete ${String(prior.name)}`);
    await trouble(prior, "delete", call);
  },

  import: ({ id, identity }) => {
    const name = id ?? String(identity.name);
    return { state: { name, id: `id of ${name}` } };
  },
};

function withoutComputed(value: ObjectValue): ObjectValue {
  return { ...value, id: null, key_bytes: null };
}

function made(planned: ObjectValue, config: ObjectValue): ObjectValue {
  const keys = Object.values((config.key ?? {}) as Record<string, { value_wo: string | null }>);
  const bytes = keys.reduce((sum, { value_wo }) => sum + Buffer.byteLength(value_wo ?? ""), 0);
  return { ...planned, id: `id of ${String(planned.name)}`, key_bytes: bytes, key: config.key ?? null };
}

async function trouble({ trouble: kind, password }: ObjectValue, moment: string, call: ProviderCall<unknown>): Promise<void> {
  if (kind === `${moment} throws`) throw new TypeError(`boom, and the password is ${String(password)}`);
  if (kind === `${moment} is refused`) throw new CodedError(`the ${moment} is refused`);
  if (kind === `${moment} throws in a timer`) {
    await new Promise(() => setTimeout(() => throwLater(), 10));
  }
  if (kind === `${moment} waits`) {
    note("waiting");
    await sleep(60_000, undefined, { signal: call.stopping }).catch(() => {});
    note(call.abandoned.aborted ? "abandoned" : call.stopping.aborted ? "stopping" : "not stopped");
    await sleep(500);
    note("finished");
    throw new CodedError("interrupted");
  }
}

function throwLater(): never {
  throw new RangeError("thrown in a timer");
}

export const provider: Provider<{ greeting: string }> = {
  attributes: { greeting: { type: "string", ...optional } },
  validate: ({ greeting }) => {
    if (greeting === "") throw new CodedError("the greeting is empty");
  },
  configure: ({ greeting }, { log }) => {
    log.info("configured");
    return { greeting: typeof greeting === "string" ? greeting : "hello" };
  },
  resources: { tiny_thing: resource },
  dataSources: {
    tiny_echo: {
      attributes: { input: { type: "dynamic", required: true }, output: { type: "dynamic", computed: true } },
      read: ({ input }) => ({ input: input!, output: decode("dynamic", encode("dynamic", input!)) }),
    },
  },
  redact: (text) => text.replaceAll("hunter2", "[hidden]"),
};
