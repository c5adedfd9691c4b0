import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { compressed } from "../../src/constructs/hook-engine/destroy-hooks";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import {
  blockAddress,
  blockId,
  instanceAddress,
  platformPrefix,
  pluginResourceId,
  pluginResourceType,
} from "../../src/contract/addresses";
import { HOOK_ENV } from "../../src/contract/hook-protocol";
import { objectOf } from "../../src/model/object-ref";
import { matchingNone } from "../../src/model/protection";
import { requestBody } from "../../src/declarations/declaration";
import { objectTypeOf } from "../../src/declarations/types";
import type { JsonObject } from "../../src/model/provider-type";
import { cluster, provider, secrets } from "../support/capvs";
import { configurationOf, type Configuration } from "./terraform/configuration";

export const NAMES = ["c1", "c2", "c3"] as const;
export type Name = (typeof NAMES)[number];

/** The programs that the people of the world write: a Platform, its provider, and up to three clusters; perhaps two Platforms. */
export interface Program {
  readonly engine: "null_resource" | "terraform_data" | "provider";
  /** What the code has for the objects of the Platform. Without a Platform, it declares none. @default "Platform" */
  readonly carrier?: "Platform" | "nothing";
  /** The name of the Platform. @default none */
  readonly platform?: typeof LAB;
  /** A second Platform, on another service. Its name is the other one. */
  readonly beside?: Beside;
  /** The clusters, each with one of three declarations. */
  readonly clusters: Readonly<Partial<Record<Name, Variant>>>;
  /** Declaration of the provider. @default 0 */
  readonly provider?: 0 | 1;
  readonly adopt?: boolean;
  /** Whether clusters are protected. @default false */
  readonly isProtected?: boolean;
  readonly allowDeletion?: readonly string[];
  readonly retain?: readonly string[];
  /** @default false */
  readonly waitForReady?: boolean;
  /** @default 600 */
  readonly createSeconds?: number;
  /** @default 300 */
  readonly deleteSeconds?: number;
  /** @default 5 */
  readonly pollSeconds?: number;
  /** @default CLUSTER_PLATFORM_URL of the run */
  readonly url?: string;
}

export interface Beside {
  readonly clusters: Program["clusters"];
  readonly url: string;
}

export const LAB = "lab";

/** Lists show the difference between 0 and 1. They do not show {@link UNLISTED}, which only 2 has. */
export type Variant = 0 | 1 | 2;
export const UNLISTED = "enableCsi";

/** The first and the last are the same service. */
export const URLS = ["https://platform.example.com", "https://other.example.com", "https://new.example.com"] as const;
const SERVICES: Readonly<Record<string, number>> = { [URLS[0]]: 0, [URLS[1]]: 1, [URLS[2]]: 0 };
export const PROVIDER = "vsphere";
const PROVIDER_ID = `capvs/providers/${PROVIDER}`;
export type ObjectName = Name | typeof PROVIDER;
export const READY_SECONDS = 120;

/** What a run gets from its environment. */
export const RUN_ENV = { CLUSTER_PLATFORM_URL: URLS[0], CLUSTER_PLATFORM_TOKEN: "token-of-the-world-1", ...secrets };
/** Texts that no output, note, plan or state may have. */
export const SECRETS = [RUN_ENV.CLUSTER_PLATFORM_TOKEN, secrets.VSPHERE_PASSWORD];

const LITERALS: ReadonlySet<string> = new Set(["allowDeletion", "retain", "createSeconds", "deleteSeconds", "pollSeconds"]);
const shared = new Map<string, Stack>();
/** Of the last sequences: a program comes again and again in one. */
const recent = new Map<string, Stack>();
const configurations = new WeakMap<Stack, Configuration>();
const MOST_RECENT = 2_000;

/** A synthesized stack. Nobody changes it. */
type Stack = object;

/** The synthesized program, as the model of Terraform reads it. */
export function configurationFor(program: Program): Configuration {
  const stack = stackOf(program);
  let configuration = configurations.get(stack);
  if (!configuration) configurations.set(stack, (configuration = configurationOf(stack)));
  return configuration;
}

/**
 * The synthesized program. Synth takes 30 ms, so programs that differ only in literals of the settings share one, and the
 * literals are then replaced. A test compares the result with a synth of its own.
 */
export function stackOf(program: Program): Stack {
  const full: Full = { ...DEFAULTS, ...program };
  if (recent.size >= MOST_RECENT) recent.clear();
  return kept(recent, full, () => withLiterals(sharedStackOf(program), full));
}

/** The same object for programs that differ in those literals only. */
export function sharedStackOf(program: Program): Stack {
  // With the provider, each object has its protection.
  const isLiteral = (key: string) => LITERALS.has(key) || (key === "isProtected" && program.engine !== "provider");
  const written = Object.fromEntries(Object.entries(program).filter(([key]) => !isLiteral(key))) as unknown as Program;
  return kept(shared, { ...DEFAULTS, ...written }, () => synthesized(written) as Stack);
}

function kept<Made>(known: Map<string, Made>, program: Program, make: () => Made): Made {
  const key = JSON.stringify(program);
  let made = known.get(key);
  if (made === undefined) known.set(key, (made = make()));
  return made;
}

interface RawStack {
  readonly resource?: Readonly<Record<string, Readonly<Record<string, RawBlock>>>>;
  readonly removed?: readonly RawBlock[];
  readonly provider?: Readonly<Record<string, readonly (object & { readonly timeouts?: object })[]>>;
}

interface RawBlock {
  readonly input?: JsonObject;
  readonly provisioner?: readonly { readonly "local-exec": { readonly environment: Readonly<Record<string, string>> } }[];
}

function withLiterals(stack: Stack, program: Full): Stack {
  const { resource = {}, removed, provider } = stack as RawStack;
  const { isProtected, allowDeletion, retain, createSeconds, deleteSeconds, pollSeconds } = program;
  const literals = {
    createSeconds,
    deleteSeconds,
    pollSeconds,
    deletionProtection: isProtected ? ["*/clusters/*"] : [],
    allowDeletion: isProtected ? allowDeletion : [],
    retain,
  };
  const changed = (environment: Readonly<Record<string, string>>) => {
    const settings = JSON.parse(environment[HOOK_ENV.settings]!) as { readonly platform?: string };
    const declared = environment[DECLARED];
    const unknown = matchingNone(retain, declaredOn(program, settings.platform));
    return {
      ...environment,
      [HOOK_ENV.settings]: JSON.stringify({ ...settings, ...literals }),
      ...(declared !== undefined &&
        unknown.length > 0 && { [DECLARED]: compressed({ ...inflated(declared), retained: unknown }) }),
    };
  };
  const ofBlock = (block: RawBlock): RawBlock => ({
    ...block,
    ...(block.input?.createSeconds !== undefined && { input: { ...block.input, ...literals } }),
    ...(block.provisioner && {
      provisioner: block.provisioner.map(({ "local-exec": exec }) => ({
        "local-exec": { ...exec, environment: changed(exec.environment) },
      })),
    }),
  });
  const lists = {
    deletion_protection: literals.deletionProtection,
    allow_deletion: literals.allowDeletion,
    retain,
  };
  return {
    ...stack,
    resource: mapped(resource, (blocks) => mapped(blocks, ofBlock)),
    ...(removed && { removed: removed.map(ofBlock) }),
    ...(provider && {
      provider: mapped(provider, (blocks) =>
        blocks.map(({ timeouts, ...block }) => {
          if (timeouts === undefined) return block;
          return {
            ...block,
            ...lists,
            poll_seconds: pollSeconds,
            timeouts: { ...timeouts, create_seconds: createSeconds, delete_seconds: deleteSeconds },
          };
        }),
      ),
    }),
  };
}

const DECLARED = `${HOOK_ENV.declared}_0`;

function mapped<Item, Made>(all: Readonly<Record<string, Item>>, make: (item: Item) => Made): Record<string, Made> {
  return Object.fromEntries(Object.entries(all).map(([key, item]) => [key, make(item)]));
}

function inflated(text: string): object {
  return JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString()) as object;
}

const DEFAULTS = {
  engine: "terraform_data",
  provider: 0,
  adopt: false,
  isProtected: false,
  allowDeletion: [],
  retain: [],
  waitForReady: false,
  createSeconds: 600,
  deleteSeconds: 300,
  pollSeconds: 5,
} satisfies Partial<Program>;

type Full = Program & Required<Pick<Program, keyof typeof DEFAULTS>>;

const ENGINES = { null_resource: Engine.NULL_RESOURCE, terraform_data: Engine.TERRAFORM_DATA, provider: Engine.PROVIDER };

export function synthesized(program: Program): unknown {
  const full: Full = { ...DEFAULTS, ...program };
  const { engine, carrier, platform: name, beside, url, adopt, waitForReady } = full;
  const app = new App({ outdir: join(tmpdir(), "cluster-platform-world"), skipValidation: true } as never);
  const stack = new TerraformStack(app, "world");
  if (carrier === "nothing") return {};
  const props = {
    engine: ENGINES[engine],
    pollSeconds: full.pollSeconds,
    timeouts: { createSeconds: full.createSeconds, readySeconds: READY_SECONDS, deleteSeconds: full.deleteSeconds },
    retain: [...full.retain],
    ...(full.isProtected ? { allowDeletion: [...full.allowDeletion] } : { deletionProtection: false }),
  };
  const declare = (id: string, platformProps: PlatformProps, clusters: Program["clusters"]) => {
    const platform = new Platform(stack, id, { ...props, ...platformProps });
    const pool = poolOf(full.provider);
    const on = provider(stack, PROVIDER, { id: `provider-of-${id}`, platform, adopt, ipAddressPoolName: pool });
    for (const each of NAMES) {
      const variant = clusters[each];
      if (variant === undefined) continue;
      cluster(stack, each, on, { id: `${id}-${each}`, platform, ...propsOf(variant), adopt, waitForReady });
    }
  };
  declare("platform", { url, name }, full.clusters);
  if (beside) declare("beside", { url: beside.url, name: besideOf({ platform: name }) }, beside.clusters);
  return toTerraform(stack);
}

function toTerraform(stack: TerraformStack): unknown {
  stack.prepareStack();
  return stack.toTerraform();
}

/** Where the state has an object of a Platform. */
export function addressOf(engine: Program["engine"], platform: string | undefined, id: string): string {
  const { type, kind, name } = objectOf(id);
  const prefix = platformPrefix(platform);
  return engine === "provider"
    ? blockAddress(pluginResourceType(type, kind), pluginResourceId(prefix, name))
    : instanceAddress(blockAddress(engine, blockId(prefix, type, kind)), name);
}

/** The name of the second Platform, if there is one. */
export function besideOf({ platform }: Pick<Program, "platform">): typeof LAB | undefined {
  return platform === undefined ? LAB : undefined;
}

/** The service of a URL. Without one, it comes from the environment of the run. */
export function serviceAt(url: string | undefined): number | undefined {
  return url === undefined ? undefined : SERVICES[url];
}

function propsOf(variant: Variant) {
  return { ingress: `v${variant % 2}.example.com`, ...(variant === 2 && { [UNLISTED]: false }) };
}

function poolOf(variant: number): string {
  return `pool-${variant}`;
}

/** Ids of the declared objects. */
export function declaredBy(program: Program): string[] {
  const { beside, platform } = program;
  return [...new Set([platform, ...(beside ? [besideOf({ platform })] : [])].flatMap((name) => declaredOn(program, name)))];
}

/** Ids of the objects that the Platform of a name declares. */
export function declaredOn(program: Program, name: string | undefined): string[] {
  const { carrier = "Platform", clusters, platform, beside } = program;
  if (carrier !== "Platform") return [];
  const ids = (of: Program["clusters"]) => NAMES.filter((each) => of[each] !== undefined).map(clusterId);
  if (name === platform) return [PROVIDER_ID, ...ids(clusters)];
  if (!beside) return [];
  return [PROVIDER_ID, ...ids(beside.clusters)];
}

/** The Platform that declares the object; without one, the first. */
export function platformOf(program: Program, id: string): string | undefined {
  const { platform } = program;
  return declaredOn(program, platform).includes(id) || !declaredOn(program, besideOf({ platform })).includes(id)
    ? platform
    : besideOf({ platform });
}

/**
 * What the program declares on one service.
 * @param url of the environment
 */
export function partOn(program: Program, service: number, url: string): Program {
  const { beside, ...first } = program;
  const isHere = serviceAt(first.url ?? url) === service;
  if (!beside) return isHere ? first : { ...first, carrier: "nothing" };
  const isBesideHere = serviceAt(beside.url) === service;
  if (!isHere) return isBesideHere ? { ...first, clusters: beside.clusters } : { ...first, carrier: "nothing" };
  return isBesideHere ? { ...first, clusters: { ...first.clusters, ...beside.clusters } } : first;
}

export function clusterId(name: string): string {
  return `capvs/clusters/${name}`;
}

/** Whether an object on the service is as the program declares it. */
export function isAsDeclared(program: Program, id: string, body: JsonObject): boolean {
  const { clusters, provider: variant = 0 } = program;
  if (!declaredBy(program).includes(id)) return false;
  const name = id.split("/")[2]!;
  if (id.includes("/providers/")) return body.IPAddressPoolName === poolOf(variant);
  const declared = clusters[name as Name];
  return declared !== undefined && isDeepStrictEqual(body, bodyOf(name as Name, declared));
}

/** Whether lists show a live cluster as the program declares it. Of what differs between variants, they show the ingress only. */
export function isListedAsDeclared({ clusters }: Program, id: string, body: JsonObject): boolean {
  const declared = clusters[id.split("/")[2] as Name];
  return declared !== undefined && (body.cluster as JsonObject | undefined)?.ingress === propsOf(declared).ingress;
}

/** Whether two programs declare the object differently. */
export function isOtherwise(one: Program, other: Program, id: string | undefined): boolean {
  const variantIn = ({ clusters, beside, provider = 0 }: Program) =>
    id === undefined || id.includes("/providers/") ? provider : { ...clusters, ...beside?.clusters }[objectOf(id).name as Name];
  return variantIn(one) !== variantIn(other);
}

/** Whether the program declares the object with the field that lists do not show. */
export function declaresUnlisted({ clusters, beside }: Program, id: string): boolean {
  return { ...clusters, ...beside?.clusters }[objectOf(id).name as Name] === 2;
}

const bodies = new Map<string, JsonObject>();

/** The body of an object as somebody else creates it. */
export function bodyOf(name: ObjectName, variant: Variant, on: string = PROVIDER): JsonObject {
  const key = `${name} ${variant} ${on}`;
  let known = bodies.get(key);
  if (!known) {
    const stack = new TerraformStack(new App(), "world");
    const platform = new Platform(stack, "platform");
    const registered = provider(stack, on, { ipAddressPoolName: poolOf(variant) });
    if (name !== PROVIDER) cluster(stack, name, registered, propsOf(variant));
    const { type, kind, spec } = platform._objects.find((object) => object.name === name)!;
    bodies.set(key, (known = requestBody(objectTypeOf(type, kind), spec)));
  }
  return known;
}
