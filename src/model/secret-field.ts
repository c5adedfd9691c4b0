import { oncePerText } from "../util/once-per";

const SECRET =
  /passw(or)?d|passphrase|pwd|secret|token|credential|private[_-]?key|api[_-]?key|access[_-]?key|bearer|authorization/i;
/** Keys that hold secrets in bodies of the service, but not among the props of this package. */
const SECRET_IN_BODY = [
  /keys?$|key[_-]?pem$|kube[_-]?config|docker[_-]?config|user[_-]?data$/i,
  /(^|[_-])(auth|pass|psk)$/i,
  /[a-z](Auth|Pass|Psk)$/,
];
/** Keys that are hidden in bodies of the service although they hold no credentials, because the service hides some of them. */
const HIDDEN_IN_BODY = /^(user(name)?|login)$|certificate/i;
/** Users increase it to send a rotated secret. */
const HARMLESS = /^credentialsVersion$/;

/** The values in `bodyOverrides` are JSON, so their text begins with a quote. */
const SECRET_VALUE = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|^"?eyJ[\w-]+\.[\w-]+\.|:\/\/[^/\s:@]*:[^/\s@]+@/,
  /^"?(gh[oprsu]_|github_pat_|glpat-|xox[abp]-|AKIA)/,
];

/** Whether to hide a field of the service's bodies in output, judged by its key. */
export function isSecretInBody(key: string): boolean {
  return isCredential(key) || HIDDEN_IN_BODY.test(key);
}

/** Judged by the key of the field. */
export function isCredential(key: string): boolean {
  return isSecretKey(key) || SECRET_IN_BODY.some((secret) => secret.test(key));
}

function isSecretKey(key: string): boolean {
  return SECRET.test(key) && !HARMLESS.test(key);
}

/**
 * Judged by the path or the values of a declared field. A `Secret` is never in a plan or state. This finds secrets that were
 * written as plain text, such as in `bodyOverrides`.
 */
export function looksSecret(field: string, ...values: readonly (string | undefined)[]): boolean {
  return isSecretField(field) || values.some((value) => value !== undefined && SECRET_VALUE.some((secret) => secret.test(value)));
}

/** A document has many objects with the same fields. */
const isSecretField = oncePerText((field) => {
  const segments = field.match(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g) ?? [];
  const isSecret = segments[0] === "bodyOverrides" ? isSecretInBody : isSecretKey;
  return segments.some((segment) => isSecret(segment.replace(/^"(.*)"$/s, "$1")));
});
