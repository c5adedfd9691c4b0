import { Token, Tokenization } from "cdktf";
import * as library from "cdktf-cluster-platform";
import type { IProvider, ManagedObject } from "cdktf-cluster-platform";
import type { Construct } from "constructs";
import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import { isSecretReference } from "../../src/model/secret-reference";
import type { ServicesSpec } from "../../src/declarations/services";

type ConstructOf = new (scope: Construct, id: string, props: JsonObject) => ManagedObject;
type ProviderOf = ConstructOf & { fromName(name: string): IProvider };

/** Makes the construct of a type from a golden's declaration. */
export function declare(scope: Construct, code: TypeCode, kind: "provider" | "cluster", declaration: JsonObject) {
  const name = code[0]!.toUpperCase() + code.slice(1);
  const constructs = library as unknown as Record<string, ConstructOf>;
  const props = toProps(declaration) as JsonObject;
  const id = `${code}-${kind}-${String(declaration.name)}`;
  if (kind === "provider") return new constructs[`${name}Provider`]!(scope, id, props);
  const provider = (constructs[`${name}Provider`] as ProviderOf).fromName(declaration.provider as string);
  return new constructs[`${name}Cluster`]!(scope, id, { ...props, provider });
}

/** A declaration as props: with Secret and Services instead of their serialized form. */
function toProps(value: unknown, key = ""): unknown {
  if (isSecretReference(value)) return toSecret(value.$secret);
  if (key === "services") return toServices(value as ServicesSpec);
  if (Array.isArray(value)) return value.map((item) => toProps(item));
  if (typeof value !== "object" || value === null || Tokenization.isResolvable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([prop, item]) => [prop, toProps(item, prop)]));
}

function toSecret(source: { env: string } | { file: string } | { value: string }) {
  if ("env" in source) return library.Secret.fromEnv(source.env);
  if ("file" in source) return library.Secret.fromFile(source.file);
  const { fromToken, unsafePlainText } = library.Secret;
  return Token.isUnresolved(source.value) ? fromToken(source.value) : unsafePlainText(source.value);
}

function toServices(spec: ServicesSpec) {
  if ("preset" in spec) return library.Services[spec.preset]();
  if ("enabled" in spec) return library.Services.only(...(spec.enabled as library.PlatformService[]));
  return library.Services.allBut(...(spec.disabled as library.PlatformService[]));
}
