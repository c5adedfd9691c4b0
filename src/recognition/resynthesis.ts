import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Lazy, TerraformStack } from "cdktf";
import type { HookEngine } from "../constructs/engine";
import { HookResources } from "../constructs/hook-engine/hook-resources";
import { ProviderResources } from "../constructs/provider-engine/provider-resources";
import type { DeclaredObject } from "../constructs/synth/declared-object";
import {
  blockAddress,
  blockId,
  declarationsLocalId,
  HOOK_RESOURCE_TYPES,
  parsePluginResourceType,
  parseSupportId,
  platformOfPrefix,
  platformPrefix,
  PLUGIN_NAME,
  PLUGIN_READY_TYPE,
  pluginReadyId,
  supportAddress,
  supportId,
} from "../contract/addresses";
import type { HookEntry } from "../contract/hook-protocol";
import { keptText } from "../contract/kept-text";
import { isPlatformSettings } from "../contract/platform-settings";
import { flatten } from "../declarations/declaration";
import { objectTypeOf } from "../declarations/types";
import { objectId, type ObjectRef } from "../model/object-ref";
import { isPlainObject } from "../util/prop-path";
import { KINDS, TYPE_CODES, type JsonObject } from "../model/provider-type";
import { expectationsIn, settingsInProviderBlock, settingsText, synthesizedHooks } from "../synthesized/platforms";
import { isTemplate, withoutEscapes } from "../terraform/template-text";
import { blocksOf, type ConfigurationBlock } from "./configuration-blocks";

type Blocks = ReadonlyMap<string, unknown>;

/**
 * What this version of the package makes from the settings and objects in the blocks of a configuration, by address. A Platform
 * that cannot be read is left out. So are the blocks of single objects on the package's own provider: a plan shows their arguments.
 */
export function resynthesized(actual: Blocks): Blocks {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-review-"));
  try {
    const app = new App({ outdir, context: {}, stackTraces: false });
    const made = [...actual.keys()].flatMap((address, index) => {
      const make = platformAt(address, actual);
      return make ? blocksMade(new TerraformStack(app, `stack-${index}`), make) : [];
    });
    return new Map(made.map(({ address, body }) => [address, body]));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

type Make = (stack: TerraformStack) => void;

/** Forged settings and declarations may have any form. */
function blocksMade(stack: TerraformStack, make: Make): ConfigurationBlock[] {
  try {
    make(stack);
    return blocksOf(stack.toTerraform());
  } catch {
    return [];
  }
}

/** `protection` and the provider block stand for their Platform. */
function platformAt(address: string, actual: Blocks): Make | undefined {
  const [type = "", name = "", alias] = address.split(".");
  if (type === "provider") return name === PLUGIN_NAME ? withProvider(platformPrefix(alias), actual) : undefined;
  const support = parseSupportId(type, name);
  return support?.resource === "protection" ? withHooks(support.prefix, actual) : undefined;
}

const withHooks =
  (prefix: string, actual: Blocks): Make =>
  (stack) => {
    const protection = actual.get(supportAddress(supportId(prefix, "protection")));
    const settings: unknown = JSON.parse(settingsText(synthesizedHooks(protection)[0]!));
    if (!isPlatformSettings(settings) || platformPrefix(settings.platform) !== prefix) return;
    const id = blockId(prefix, TYPE_CODES[0]!, KINDS[0]!);
    const engine = HOOK_RESOURCE_TYPES.find((type) => actual.has(blockAddress(type, id))) as HookEngine;
    const objects = hookObjects(prefix, actual);
    const resources = new HookResources(stack, "platform", { engine, prefix, settings, objects: () => objects });
    for (const object of objects) resources.declare(object, stack);
    for (const cluster of readyClusters(prefix, actual)) resources.readyResource(cluster);
  };

const withProvider =
  (prefix: string, actual: Blocks): Make =>
  (stack) => {
    const provider = [PLUGIN_NAME, ...(prefix ? [platformOfPrefix(prefix)] : [])].join(".");
    const settings = settingsInProviderBlock(actual.get(`provider.${provider}`))!;
    const objects = providerObjects(prefix, provider, actual);
    const resources = new ProviderResources(stack, "platform", { prefix, settings, objects: () => objects });
    if (objects.length > 0) resources.allReady();
    for (const cluster of readyClusters(prefix, actual)) resources.readyResource(cluster);
  };

/** The clusters that have a resource of their own which waits for them. */
function readyClusters(prefix: string, actual: Blocks): ObjectRef[] {
  return [...actual.keys()].flatMap((address) => {
    const [type = "", name = ""] = address.split(".");
    const support = parseSupportId(type, name);
    const isReady = support?.cluster && support.resource === "ready" && support.prefix === prefix;
    return isReady ? [{ ...support.cluster!, kind: "clusters" }] : [];
  });
}

function hookObjects(prefix: string, actual: Blocks): DeclaredObject[] {
  const expected = expectationsIn(actual.get(supportAddress(supportId(prefix, "ready"))));
  const waited = new Set(expected.flatMap(({ type, kind, ready }) => ready.map((name) => objectId(type, kind, name))));
  return TYPE_CODES.flatMap((type) => KINDS.map((kind) => ({ type, kind }))).flatMap(({ type, kind }) => {
    const localOf = (which: "literal" | "with tokens") =>
      actual.get(`local.${declarationsLocalId(blockId(prefix, type, kind), which)}`) as JsonObject;
    return Object.entries(localOf("literal")).map(([name, text]): DeclaredObject => {
      const hasTokens = text === null;
      const value = hasTokens ? withExpressions(localOf("with tokens")[name]) : JSON.parse(text as string);
      const { path, adopt, byName, ...entry } = value as HookEntry;
      const spec = keptText(entry.spec) as JsonObject;
      // A plan shows only the triggers, so they must be what the declaration says.
      const triggers = hasTokens ? entry.triggers : flatten(objectTypeOf(type, kind), spec);
      const waitForReady = waited.has(objectId(type, kind, name));
      return { type, kind, name, path, adopt, byName, hasTokens, spec, triggers, waitForReady };
    });
  });
}

/** Text with a template stays one expression. */
function withExpressions(value: unknown): unknown {
  if (typeof value === "string") return isTemplate(value) ? Lazy.stringValue({ produce: () => value }) : withoutEscapes(value);
  if (Array.isArray(value)) return value.map(withExpressions);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [withoutEscapes(key) as string, withExpressions(item)]));
}

/** Only their ids matter. */
function providerObjects(prefix: string, provider: string, actual: Blocks): DeclaredObject[] {
  const ready = actual.get(`${PLUGIN_READY_TYPE}.${pluginReadyId(prefix)}`) as
    { readonly wait_for: readonly string[] } | undefined;
  return [...actual].flatMap(([address, body]): DeclaredObject[] => {
    const object = parsePluginResourceType(address.split(".")[0]!);
    const block = body as JsonObject;
    if (!object || block.provider !== provider) return [];
    const name = block.name as string;
    const waitForReady = ready?.wait_for.includes(objectId(object.type, object.kind, name));
    return [{ ...object, name, path: address, spec: {}, hasTokens: false, triggers: {}, waitForReady }];
  });
}
