import type { TerraformStack } from "cdktf";
import { Engine } from "../../../src/constructs/engine";
import { Platform } from "../../../src/constructs/platform";
import {
  blockAddress,
  blockId,
  PLUGIN_READY_TYPE,
  platformPrefix,
  pluginResourceId,
  pluginResourceType,
} from "../../../src/contract/addresses";
import { inflate } from "../../../src/contract/hook-protocol";
import type { JsonObject } from "../../../src/model/provider-type";
import { clusterNameOf, providerNameOf } from "../../../src/simulator/bodies";
import { cluster, provider } from "../../support/capvs";
import { instanceAddress } from "../terraform/state";
import { idOf, NAMES, otherPlatform, PROVIDER, type Code, type ObjectName } from "./steps";

/** What a step has done and left, in a form that can be compared. */
export interface Seen {
  readonly ok: boolean;
  /** Error codes of this package. */
  readonly codes: readonly string[];
  /** Requests that change something, whatever their outcome. A hook may repeat one. */
  readonly writes: readonly string[];
  /** Objects on the service, with the field that tells their declarations apart. */
  readonly live: readonly string[];
  readonly state: Readonly<Record<string, SeenInstance>>;
  /** Blocks in the state without instances. */
  readonly empty: readonly string[];
  /** Files of notes. */
  readonly notes: readonly string[];
  /** Of a plan. */
  readonly changes?: readonly string[];
}

export interface SeenInstance {
  readonly isTainted: boolean;
  readonly dependencies: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** What the plugin keeps besides the attributes. */
  readonly private?: unknown;
}

/** A long request would take real time. All other pauses of the hooks are skipped. */
const TIMEOUTS = { requestSeconds: 3, createSeconds: 60, deleteSeconds: 60, readySeconds: 60 };

const ENGINES: Readonly<Record<Code["engine"], Engine>> = {
  null_resource: Engine.NULL_RESOURCE,
  terraform_data: Engine.TERRAFORM_DATA,
  provider: Engine.PROVIDER,
};

export function declare(stack: TerraformStack, code: Code): void {
  const { clusters, isProtected, allowDeletion = [], retain = [], adopt } = code;
  const props = {
    engine: ENGINES[code.engine],
    ...(code.platform !== undefined && { name: code.platform }),
    pollSeconds: 0.2,
    timeouts: TIMEOUTS,
    retain: [...retain],
    ...(isProtected ? { allowDeletion: [...allowDeletion] } : { deletionProtection: false }),
  };
  new Platform(stack, "platform", props);
  const on = provider(stack, PROVIDER, { adopt, ipAddressPoolName: `pool-${code.provider}` });
  for (const name of NAMES) {
    const variant = clusters[name];
    if (variant !== undefined) cluster(stack, name, on, { adopt, ingress: `v${variant}.example.com` });
  }
  const { isMoved, forgotten = [], imported = [] } = code;
  if (isMoved) {
    const declared: readonly ObjectName[] = [PROVIDER, ...NAMES.filter((name) => clusters[name] !== undefined)];
    const from = { ...code, platform: otherPlatform(code) };
    stack.addOverride(
      "moved",
      declared.map((name) => ({ from: addressOf(from, name), to: addressOf(code, name) })),
    );
  }
  if (forgotten.length > 0) {
    const lifecycle = [{ destroy: false }];
    stack.addOverride(
      "removed",
      forgotten.map((name) => ({ from: blockOf(code, name), lifecycle })),
    );
  }
  if (imported.length > 0) {
    stack.addOverride(
      "import",
      imported.map((name) => ({ to: blockOf(code, name), id: idOf(name) })),
    );
  }
}

export function addressOf(code: Code, name: ObjectName): string {
  return code.engine === "provider" ? blockOf(code, name) : instanceAddress(blockOf(code, name), name);
}

export function blockOf({ engine, platform }: Code, name: ObjectName): string {
  const kind = name === PROVIDER ? "providers" : "clusters";
  const prefix = platformPrefix(platform);
  if (engine === "provider") return blockAddress(pluginResourceType("capvs", kind), pluginResourceId(prefix, name));
  return blockAddress(engine, blockId(prefix, "capvs", kind));
}

/** Name of the object that a write is about. */
export function nameOf(method: string, path: string, body: unknown): string {
  if (method !== "POST") return decodeURIComponent(path.split("/").at(-1)!);
  const json = body as JsonObject;
  return path.includes("/clusters/") ? clusterNameOf(json) : providerNameOf(json);
}

export function seenObject(name: string, body: JsonObject): string {
  const { cluster: spec, IPAddressPoolName: pool } = body as { cluster?: { ingress?: string }; IPAddressPoolName?: string };
  return `${name} ${spec?.ingress ?? pool}`;
}

/** Ids are random, and so is what the package makes of them. Go and Node compress alike text to different bytes. */
export function seenAttributes(block: string, attributes: Record<string, unknown>): object {
  if (isOfPlugin(block)) {
    const { id: _, uid: __, objects, ...rest } = attributes;
    const isReady = block.startsWith(`${PLUGIN_READY_TYPE}.`);
    return withoutNulls({ ...rest, ...(isReady && { objects: Object.keys(objects as object).sort() }) }) as object;
  }
  const { triggers, triggers_replace } = attributes;
  const { objects, ...settings } = (attributes.input ?? {}) as JsonObject;
  const input = attributes.input && (objects === undefined ? settings : { ...settings, objects: inflate(String(objects)) });
  const replaced = /\.(?:\w+_)?ready|readiness$/.test(block) ? undefined : (triggers_replace ?? triggers);
  return Object.fromEntries(Object.entries({ input, triggers: replaced }).filter(([, value]) => (value ?? null) !== null));
}

export function isOfPlugin(block: string): boolean {
  return block.startsWith("clusterplatform_");
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).filter(([, item]) => (item ?? null) !== null);
  return Object.fromEntries(given.map(([key, item]) => [key, withoutNulls(item)]));
}

export const inOrder = (items: Iterable<string>): string[] => [...new Set(items)].sort();
