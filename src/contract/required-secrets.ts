import { renderPath } from "../model/prop-path";
import { secretsIn, type SecretUse } from "../model/secret-reference";
import { synthesizedObjects, type SynthesizedObject } from "./synthesized-objects";

export interface RequiredSecret {
  /** Path of the construct that refers to it. */
  readonly path: string;
  /** The field of the request, or the prop if the hook builds the request. */
  readonly field: string;
  readonly kind: "env" | "file";
  readonly name: string;
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
    .flatMap(({ entry }) => secretsIn(entry.body ?? entry.spec).flatMap((use) => required(entry.path, use)))
    .sort((one, other) => compare(one.path, other.path) || compare(one.field, other.field));
}

function required(path: string, { path: field, reference: { $secret } }: SecretUse): RequiredSecret[] {
  const place = { path, field: renderPath(field) };
  if ("env" in $secret) return [{ ...place, kind: "env", name: $secret.env }];
  return "file" in $secret ? [{ ...place, kind: "file", name: $secret.file }] : [];
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
