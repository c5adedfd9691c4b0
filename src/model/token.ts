export const TOKEN_RULE = "one line of visible ASCII characters";

/** The problem of a token, as the end of a message. It never shows the token. Undefined for a valid token. */
export function tokenProblem(token: string): string | undefined {
  if (token === "") return "got nothing";
  const lines = token.split(/\r\n|\r|\n/).length;
  if (lines > 1) return `got ${lines} lines`;
  if (/^bearer\s/i.test(token)) return "got one that begins with 'Bearer': leave that word out, it is added to each request";
  if (/\s/.test(token)) return "got one with white space in it";
  if (!/^[\x21-\x7e]+$/.test(token)) return "got one with other characters in it";
  return undefined;
}
