import { BlockList, isIP } from "node:net";
import { ConfigurationError } from "../../model/errors";

/**
 * The URL of the proxy for a request. The scheme of the request's URL selects HTTPS_PROXY or HTTP_PROXY. NO_PROXY lists the hosts
 * without a proxy by name, domain, address or network, as in Terraform. The lower-case name of a variable wins; in Terraform, the
 * upper-case name wins. Undefined if no proxy is set for the host.
 * @throws INVALID_SETTING
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): string | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [name.toLowerCase(), name].find((candidate) => env[candidate]);
  if (variable === undefined || isExcepted(url, env.no_proxy || env.NO_PROXY || "")) return undefined;
  const value = env[variable]!.trim();
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (isProxyUrl(text)) return text;
  // The value is not shown, because it may hold a password.
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: '${variable}' must be the http or https URL of a proxy, as in http://proxy.example.com:3128`,
  );
}

function isProxyUrl(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text);
    decodeURIComponent(username + password);
    return protocol === "http:" || protocol === "https:";
  } catch {
    return false;
  }
}

function isExcepted(url: URL, noProxy: string): boolean {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => covers(entry, host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, network, bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (network !== undefined) return isInNetwork(host, network, Number(bits));
  const [, name = entry, only] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (only !== undefined && only !== port) return false;
  const domain = name.replace(/^\[|\]$/g, "");
  // A leading dot or `*.` matches the hosts below a domain, but not the domain itself.
  if (/^\*?\./.test(domain)) return host.endsWith(domain.replace(/^\*/, ""));
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family || bits > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const type = family === 4 ? "ipv4" : "ipv6";
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}
