import { renderPath } from "../model/prop-path";
import { secretsIn, type SecretUse } from "../model/secret-reference";
import { synthesizedObjects, type SynthesizedObject } from "./synthesized-objects";

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
 * @param isNeeded whether to look at an object
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
