/** Words in the key of a field that say that its value is nobody's business. */
const SECRET =
  /passw(or)?d|passphrase|pwd|secret|token|credential|private[_-]?key|api[_-]?key|access[_-]?key|bearer|authorization/i;
/** In a request body of the service these hold secrets too; in our own vocabulary they do not. */
const SECRET_IN_BODY = [
  /^(user(name)?|login)$|certificate|keys?$|key[_-]?pem$|kube[_-]?config|docker[_-]?config|user[_-]?data$/i,
  /(^|[_-])(auth|pass|psk)$/i,
  /[a-z](Auth|Pass|Psk)$/,
];
/** A key that is there to be seen: counting it up is how a rotated secret is sent on purpose. */
const HARMLESS = /^credentialsVersion$/;

const SECRET_VALUE = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|^eyJ[\w-]+\.[\w-]+\.|:\/\/[^/\s:@]*:[^/\s@]+@/,
  /^(gh[oprsu]_|github_pat_|glpat-|xox[abp]-|AKIA)/,
];

/**
 * Whether a field must not be shown, going by its key or by what its value looks like. Declared secrets are not in plan
 * and state at all; this is for what was written where no secret belongs, in `bodyOverrides` above all.
 */
export function looksSecret(field: string, ...values: readonly (string | undefined)[]): boolean {
  const segments = field.match(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g) ?? [];
  const inBody = segments[0] === "bodyOverrides";
  return (
    segments.some(
      (segment) =>
        !HARMLESS.test(segment) &&
        (SECRET.test(segment) || (inBody && SECRET_IN_BODY.some((secret) => secret.test(unquoted(segment))))),
    ) || values.some((value) => value !== undefined && SECRET_VALUE.some((secret) => secret.test(value)))
  );
}

function unquoted(segment: string): string {
  return segment.replace(/^"(.*)"$/s, "$1");
}
