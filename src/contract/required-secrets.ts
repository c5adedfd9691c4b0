import { blockOfDeclarationsLocal } from "./addresses";
import type { HookEntry } from "./hook-protocol";
import { keptText } from "./kept-text";
import { renderPath } from "../model/prop-path";
import type { JsonObject } from "../model/provider-type";
import { secretsIn, type SecretUse } from "../model/secret-reference";

/** A secret that an apply needs from the machine that it runs on. */
export interface RequiredSecret {
  /** Path of the construct that refers to it. */
  readonly path: string;
  /** Where it is needed: a field of the request, or a prop where tokens leave the request to the hook. */
  readonly field: string;
  readonly kind: "env" | "file";
  /** Name of the environment variable, or path of the file. */
  readonly name: string;
}

/**
 * The environment variables and files that the objects of a synthesized stack need, from its parsed `cdk.tf.json`, in
 * the order of the constructs' paths. What comes from tokens is Terraform's to find. An object that lives already needs
 * none of them, unless it is replaced.
 *
 * @param needed whether to look at an object, by the id of its block and its name
 */
export function requiredSecrets(synthesized: unknown, needed = (_block: string, _name: string) => true): RequiredSecret[] {
  const locals = (synthesized as { locals?: JsonObject } | undefined | null)?.locals ?? {};
  return Object.entries(locals)
    .flatMap(([id, objects]) => {
      const block = blockOfDeclarationsLocal(id);
      return block === undefined ? [] : Object.entries(objects ?? {}).filter(([name]) => needed(block, name));
    })
    .flatMap(([, entry]) => secretsOf(hookEntry(entry)))
    .sort((one, other) => compare(one.path, other.path) || compare(one.field, other.field));
}

/** An entry as a hook would read it; null where it is an object with tokens, in another local. */
function hookEntry(synthesized: unknown): HookEntry | null {
  return keptText(typeof synthesized === "string" ? JSON.parse(synthesized) : withoutEscapes(synthesized)) as HookEntry | null;
}

function secretsOf(entry: HookEntry | null): RequiredSecret[] {
  return entry ? secretsIn(entry.body ?? entry.spec).flatMap((use) => required(entry.path, use)) : [];
}

function required(path: string, { path: field, reference: { $secret } }: SecretUse): RequiredSecret[] {
  const place = { path, field: renderPath(field) };
  if ("env" in $secret) return [{ ...place, kind: "env", name: $secret.env }];
  return "file" in $secret ? [{ ...place, kind: "file", name: $secret.file }] : [];
}

/** `$${` and `%%{` are how Terraform's syntax has a `${` and `%{` that are text. */
function withoutEscapes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll("$${", "${").replaceAll("%%{", "%{"));
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
