import type { Handlers } from "../protocol/grpc";
import type {
  Diagnostic as EncodedDiagnostic,
  DynamicValue,
  GetProviderSchema_Response,
  GetResourceIdentitySchemas_Response,
  ProviderDefinition,
  ResourceIdentityData,
  ServerCapabilities,
} from "../protocol/generated/tfplugin6.9";
import type { Lifetime } from "../protocol/lifetime";
import type { Log } from "../protocol/log";
import { decodeObject, decodeState, encode } from "../values/codec";
import { typeOf, withoutWriteOnly, writeOnlyIn, type Attributes } from "../../terraform/attributes";
import type { Diagnostic } from "../../terraform/diagnostic";
import type { Type } from "../../terraform/type";
import { isWhollyKnown, type ObjectValue } from "../../terraform/value";
import { DiagnosticsError, diagnosticsOf, encodeDiagnostic, encodePath } from "./diagnostics";
import type { ProviderCall, PlanRequest, Private, Provider, Resource } from "./provider";
import { encodeIdentitySchema, encodeSchema } from "./schema";
import type { Strays } from "./strays";

export interface ProviderSource<Configured> {
  /** Runs after the handshake, because the process starts faster with less code loaded. */
  readonly load: () => Promise<Provider<Configured>>;
  /**
   * The encoded responses to GetProviderSchema and GetResourceIdentitySchemas, which the build has stored. Terraform starts a
   * process for these requests alone, and that process need not load the provider. @default - made from the provider
   */
  readonly stored?: { readonly schema: () => Uint8Array; readonly identities: () => Uint8Array };
}

export interface ProcessContext {
  readonly name: string;
  readonly log: Log;
  readonly lifetime: Pick<Lifetime, "during" | "stop" | "stopping" | "abandoned">;
  readonly strays: Pick<Strays, "attributed">;
}

const CAPABILITIES: ServerCapabilities = { planDestroy: true, getProviderSchemaOptional: true };

/** Answers Terraform's requests with a {@link Provider}, which the first request that needs it loads. */
export function providerService<Configured>(
  { load, stored: responses }: ProviderSource<Configured>,
  { name, log, lifetime, strays }: ProcessContext,
): Handlers<ProviderDefinition> {
  let configured: { value: Configured } | undefined;

  /** Turns errors into diagnostics. `otherwise` is the rest of the response after an error. */
  async function respond<Response extends object>(
    method: string,
    work: (provider: Provider<Configured>, call: ProviderCall<Configured>) => Promise<Response>,
    otherwise?: Partial<Response>,
  ): Promise<Partial<Response> & { diagnostics: EncodedDiagnostic[] }> {
    const reported: Diagnostic[] = [];
    const began = performance.now();
    const call: ProviderCall<Configured> = {
      get configured() {
        if (configured === undefined) throw new Error("the provider is not configured");
        return configured.value;
      },
      stopping: lifetime.stopping,
      abandoned: lifetime.abandoned,
      log,
      report: (diagnostic) => void reported.push(diagnostic),
    };
    let redact = (text: string) => text;
    let response: Partial<Response>;
    try {
      const provider = await load();
      redact = (text) => provider.redact?.(text) ?? text;
      response = await lifetime.during(() => strays.attributed(() => work(provider, call)));
    } catch (error) {
      reported.push(...diagnosticsOf(error, name));
      response = otherwise ?? {};
    }
    log.debug(method, { milliseconds: Math.round(performance.now() - began), diagnostics: reported.length });
    for (const { severity, summary } of reported) log[severity === "error" ? "error" : "warn"](summary, { method });
    return { ...response, diagnostics: reported.map((diagnostic) => encodeDiagnostic(diagnostic, redact)) };
  }

  return {
    getMetadata: () =>
      respond("GetMetadata", async ({ resources, dataSources = {} }) => ({
        serverCapabilities: CAPABILITIES,
        resources: Object.keys(resources).map((typeName) => ({ typeName })),
        dataSources: Object.keys(dataSources).map((typeName) => ({ typeName })),
        functions: [],
      })),

    getProviderSchema: () => responses?.schema() ?? respond("GetProviderSchema", async (provider) => schemaResponse(provider)),

    getResourceIdentitySchemas: () =>
      responses?.identities() ?? respond("GetResourceIdentitySchemas", async (provider) => identitySchemasResponse(provider)),

    validateProviderConfig: ({ config }) =>
      respond("ValidateProviderConfig", async (provider, call) => {
        await provider.validate?.(required(provider.attributes, config), call);
        return {};
      }),

    configureProvider: ({ config }) =>
      respond("ConfigureProvider", async (provider, call) => {
        configured = { value: await provider.configure(required(provider.attributes, config), call) };
        return {};
      }),

    validateResourceConfig: ({ typeName, config, clientCapabilities }) =>
      respond("ValidateResourceConfig", async (provider, call) => {
        const resource = find(provider.resources, typeName);
        const value = required(resource.attributes, config);
        if (!clientCapabilities?.writeOnlyAttributesAllowed) reportWriteOnly(resource, value, call);
        await resource.validate?.(value, call);
        return {};
      }),

    validateDataResourceConfig: ({ typeName, config }) =>
      respond("ValidateDataResourceConfig", async (provider, call) => {
        const source = find(provider.dataSources, typeName);
        await source.validate?.(required(source.attributes, config), call);
        return {};
      }),

    upgradeResourceState: ({ typeName, rawState }) =>
      respond("UpgradeResourceState", async (provider) => {
        const resource = find(provider.resources, typeName);
        const json = rawState?.json;
        if (!json?.length) throw new Error(`the state of ${typeName} is not in the format of Terraform 0.12 or newer`);
        const state = decodeState(typeOf(resource.attributes), json) as ObjectValue;
        resource.loaded?.(state);
        return { upgradedState: stored(resource, state) };
      }),

    upgradeResourceIdentity: ({ typeName, rawIdentity }) =>
      respond("UpgradeResourceIdentity", async (provider) => {
        const type = identityType(find(provider.resources, typeName));
        return { upgradedIdentity: { identityData: encode(type, decodeState(type, rawIdentity?.json ?? new Uint8Array())) } };
      }),

    readResource: ({ typeName, currentState, private: before }) =>
      respond(
        "ReadResource",
        async (provider, call) => {
          const resource = find(provider.resources, typeName);
          const state = required(resource.attributes, currentState);
          const result = await resource.read({ state, private: decodePrivate(before) }, call);
          return {
            newState: stored(resource, result.state),
            newIdentity: identityOf(resource, result.state),
            private: encodePrivate(result.private) ?? before,
          };
        },
        { newState: currentState, private: before },
      ),

    planResourceChange: ({ typeName, priorState, proposedNewState, config, priorPrivate }) =>
      respond("PlanResourceChange", async (provider, call) => {
        const resource = find(provider.resources, typeName);
        const type = typeOf(resource.attributes);
        const request: PlanRequest = {
          prior: decodeObject(type, priorState),
          proposed: decodeObject(type, proposedNewState),
          config: decodeObject(type, config),
          private: decodePrivate(priorPrivate),
        };
        const result = await resource.plan(request, call);
        return {
          plannedState: stored(resource, result.planned),
          plannedIdentity: identityOf(resource, result.planned),
          requiresReplace: result.requiresReplace?.map(encodePath),
          plannedPrivate: encodePrivate(result.private) ?? priorPrivate,
        };
      }),

    applyResourceChange: ({ typeName, priorState, plannedState, config, plannedPrivate }) =>
      respond(
        "ApplyResourceChange",
        async (provider, call) => {
          const resource = find(provider.resources, typeName);
          const type = typeOf(resource.attributes);
          const prior = decodeObject(type, priorState);
          const planned = decodeObject(type, plannedState);
          const request = { config: decodeObject(type, config), private: decodePrivate(plannedPrivate) };
          if (planned === null) {
            await resource.delete({ ...request, prior: prior! }, call);
            return { newState: encode(type, null) };
          }
          const result =
            prior === null
              ? await resource.create({ ...request, planned }, call)
              : await resource.update({ ...request, prior, planned }, call);
          return {
            newState: stored(resource, result.state),
            newIdentity: identityOf(resource, result.state),
            private: encodePrivate(result.private) ?? plannedPrivate,
          };
        },
        // After an error, the state from before the request stays. For a create, that is null.
        { newState: priorState, private: plannedPrivate },
      ),

    importResourceState: ({ typeName, id = "", identity }) =>
      respond("ImportResourceState", async (provider, call) => {
        const resource = find(provider.resources, typeName);
        if (!resource.import) throw refusal(`${typeName} cannot be imported`);
        const given = identity && decodeObject(identityType(resource), identity.identityData);
        const { state, private: kept } = await resource.import(given ? { identity: given } : { id }, call);
        const imported = { state: stored(resource, state), identity: identityOf(resource, state), private: encodePrivate(kept) };
        return { importedResources: [{ typeName, ...imported }] };
      }),

    moveResourceState: ({ sourceTypeName = "", targetTypeName = "" }) =>
      respond("MoveResourceState", () => {
        throw refusal(`a ${sourceTypeName} cannot be moved to a ${targetTypeName}`);
      }),

    readDataSource: ({ typeName, config }) =>
      respond("ReadDataSource", async (provider, call) => {
        const source = find(provider.dataSources, typeName);
        const state = await source.read(required(source.attributes, config), call);
        return { state: encode(typeOf(source.attributes), state) };
      }),

    stopProvider: () => {
      lifetime.stop("Terraform has sent StopProvider");
      return {};
    },
  };
}

export function schemaResponse<Configured>({
  attributes,
  resources,
  dataSources = {},
}: Provider<Configured>): GetProviderSchema_Response {
  return {
    provider: encodeSchema({ attributes }),
    resourceSchemas: mapValues(resources, encodeSchema),
    dataSourceSchemas: mapValues(dataSources, encodeSchema),
    functions: {},
    serverCapabilities: CAPABILITIES,
  };
}

export function identitySchemasResponse({ resources }: Pick<Provider<never>, "resources">): GetResourceIdentitySchemas_Response {
  const identified = Object.entries(resources).flatMap(([typeName, { attributes, identity }]) =>
    identity === undefined ? [] : [[typeName, encodeIdentitySchema(attributes, identity)] as const],
  );
  return { identitySchemas: Object.fromEntries(identified) };
}

function identityType({ identity = [] }: Pick<Resource, "identity">): Type {
  return ["object", Object.fromEntries(identity.map((name) => [name, "string"]))];
}

/**
 * Undefined for an object that does not exist, and for a resource without an identity. Also if a value is not known yet, because
 * OpenTofu 1.12 fails to store such an identity in a plan.
 */
function identityOf(resource: Pick<Resource, "identity">, state: ObjectValue | null): ResourceIdentityData | undefined {
  if (state === null || resource.identity === undefined) return undefined;
  const value = Object.fromEntries(resource.identity.map((name) => [name, state[name] ?? null]));
  return isWhollyKnown(value) ? { identityData: encode(identityType(resource), value) } : undefined;
}

function find<Item>(items: Readonly<Record<string, Item>> = {}, name = ""): Item {
  if (!Object.hasOwn(items, name)) throw new Error(`unknown name ${name}`);
  return items[name]!;
}

function required(attributes: Attributes, encoded: DynamicValue | undefined): ObjectValue {
  const value = decodeObject(typeOf(attributes), encoded);
  if (value === null) throw new Error("the request lacks a value");
  return value;
}

function stored({ attributes }: { attributes: Attributes }, state: ObjectValue | null): DynamicValue {
  return encode(typeOf(attributes), state && withoutWriteOnly(attributes, state));
}

/** Undefined for private data that is not JSON, as another provider may have left it before a move. */
function decodePrivate(bytes: Uint8Array | undefined): Private | undefined {
  if (!bytes?.length) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as Private;
  } catch {
    return undefined;
  }
}

function encodePrivate(value: Private | undefined): Uint8Array | undefined {
  return value && Buffer.from(JSON.stringify(value));
}

/** A Terraform without write-only attributes would store their values in its state. */
function reportWriteOnly(resource: Resource<never>, config: ObjectValue, call: Pick<ProviderCall<never>, "report">): void {
  for (const { path } of writeOnlyIn(resource.attributes, config)) {
    call.report({
      severity: "error",
      summary: "Write-only arguments need Terraform 1.11 or OpenTofu 1.11",
      detail: "This version would store the value in its state. Nothing was written. Use a newer version, or another argument.",
      path,
    });
  }
}

function refusal(summary: string): DiagnosticsError {
  return new DiagnosticsError({ severity: "error", summary });
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, convert: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}
