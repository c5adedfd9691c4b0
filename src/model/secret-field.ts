/** Words in the key of a field that say that its value is a secret. */
const SECRET =
  /passw(or)?d|passphrase|pwd|secret|token|credential|private[_-]?key|api[_-]?key|access[_-]?key|bearer|authorization/i;
/** In bodies of the service these hold secrets too. In this package's own vocabulary they do not. */
const SECRET_IN_BODY = [
  /keys?$|key[_-]?pem$|kube[_-]?config|docker[_-]?config|user[_-]?data$/i,
  /(^|[_-])(auth|pass|psk)$/i,
  /[a-z](Auth|Pass|Psk)$/,
];
/** In bodies of the service these are hidden, too, because the service hides some of them. They are no credentials. */
const HIDDEN_IN_BODY = /^(user(name)?|login)$|certificate/i;
/** A key whose value is meant to be seen: users count it up to send a rotated secret. */
const HARMLESS = /^credentialsVersion$/;

const SECRET_VALUE = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|^eyJ[\w-]+\.[\w-]+\.|:\/\/[^/\s:@]*:[^/\s@]+@/,
  /^(gh[oprsu]_|github_pat_|glpat-|xox[abp]-|AKIA)/,
];

/** Whether a field of a request or reply of the service holds a secret, going by its key. */
export function isSecretInBody(key: string): boolean {
  return isCredential(key) || HIDDEN_IN_BODY.test(key);
}

/** Whether a field of a request of the service holds a credential, going by its key: its value must be a Secret. */
export function isCredential(key: string): boolean {
  return isSecretKey(key) || SECRET_IN_BODY.some((secret) => secret.test(key));
}

function isSecretKey(key: string): boolean {
  return SECRET.test(key) && !HARMLESS.test(key);
}

/**
 * Whether a declared field must not be shown, going by its path or its values. Declared secrets are never in plan or
 * state. This finds those that were written where no secret belongs, such as in `bodyOverrides`.
 */
export function looksSecret(field: string, ...values: readonly (string | undefined)[]): boolean {
  const segments = field.match(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g) ?? [];
  const isSecret = segments[0] === "bodyOverrides" ? isSecretInBody : isSecretKey;
  return (
    segments.some((segment) => isSecret(segment.replace(/^"(.*)"$/s, "$1"))) ||
    values.some((value) => value !== undefined && SECRET_VALUE.some((secret) => secret.test(value)))
  );
}
