import { renderPath } from "../util/prop-path";
import { secretsIn, type SecretUse } from "../model/secret-reference";
import { synthesizedObjects, type SynthesizedObject } from "./objects";

export interface RequiredSecret {
  /** Path of the construct that refers to it. */
  readonly path: string;
  readonly prop: string;
  readonly kind: "env" | "file";
  readonly name: string;
  readonly of: SynthesizedObject;
}

/**
 * The environment variables and files that a synthesized stack needs, sorted by the path of the construct, without tokens, which
 * Terraform resolves itself. An object that lives already needs its secrets only for a replacement.
 * @param synthesized the parsed `cdk.tf.json`
 * @param isNeeded whether to include an object
 */
export function requiredSecrets(synthesized: unknown, isNeeded = (_object: SynthesizedObject) => true): RequiredSecret[] {
  return synthesizedObjects(synthesized)
    .filter(isNeeded)
    .flatMap((object) => secretsIn(object.entry.spec).flatMap((use) => required(object, use)))
    .sort((one, other) => compare(one.path, other.path) || compare(one.prop, other.prop));
}

function required(of: SynthesizedObject, { path, reference: { $secret } }: SecretUse): RequiredSecret[] {
  const place = { path: of.entry.path, prop: renderPath(path), of };
  if ("env" in $secret) return [{ ...place, kind: "env", name: $secret.env }];
  return "file" in $secret ? [{ ...place, kind: "file", name: $secret.file }] : [];
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
