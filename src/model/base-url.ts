import { isIPv4 } from "node:net";

/** The end of `'url' must …`. The text is shown only if it cannot hold a password. */
export function baseUrlProblem(text: string): string | undefined {
  if (text.trim() === "") return "not be empty";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password) {
    return "not hold a user name or password: the service takes a token, as from CLUSTER_PLATFORM_TOKEN";
  }
  if (!url || !/^https?:$/.test(url.protocol)) {
    return `be an absolute http or https URL, as in https://platform.example.com, got ${text.includes("@") ? "something else" : JSON.stringify(text.slice(0, 200))}`;
  }
  // Checks the text, because the parsed URL shows an empty query or fragment only in its href.
  if (/[?#]/.test(text)) return `not hold a query or fragment, got one after ${JSON.stringify(url.origin + url.pathname)}`;
  if (/\/api\/v1(\/|$)/.test(url.pathname)) {
    return `be the base URL, without /api/v1 and what follows it, got ${JSON.stringify(url.href)}`;
  }
  return undefined;
}

/** Without a slash at its end. */
export function baseUrlOf(url: URL): string {
  return url.href.replace(/\/+$/, "");
}

/** Whether a token that is sent to this URL can be read on its way to another machine. */
export function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopback(hostname);
}

/** Whether a host, as a URL has it, is certainly this machine. The resolver decides about names below `localhost`. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));
}

/** The base URL in a value of Terraform's JSON. Undefined if the value is not a URL. */
export function baseUrlIn(value: unknown): string | undefined {
  return typeof value === "string" && URL.canParse(value) ? baseUrlOf(new URL(value)) : undefined;
}

/** Whether two base URLs may be those of one service. An undefined one is not known: it may come from the environment of a run. */
export function mayBeOneService(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || baseUrlOf(new URL(one)) === baseUrlOf(new URL(other));
}
