import { baseUrlIn, baseUrlOf, baseUrlProblem, isLoopback, isUnencrypted } from "../model/base-url";
import { TIME_LIMITS } from "../model/time-limits";
import { ConfigurationError } from "../model/errors";
import { proxyFor } from "./http/proxy";
import { locate, readRegularFile } from "../util/regular-file";

/** The stack's settings for requests. The environment of the run gives the other settings. */
export interface ConnectionLiterals {
  /** With its base path if it has one. @default - CLUSTER_PLATFORM_URL */
  readonly url?: string;
  /** Of the stack's other Platforms. CLUSTER_PLATFORM_URL must be none of them. */
  readonly otherUrls?: readonly string[];
  /** PEM file of certificate authorities to trust in addition to those of Node. @default - CLUSTER_PLATFORM_CA_FILE */
  readonly caFile?: string;
  /** Accept any TLS certificate, with a warning on every run. @default - CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY */
  readonly insecureSkipVerify?: boolean;
  /** Send the token unencrypted to a host that is not this machine. @default - CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP */
  readonly allowPlainHttp?: boolean;
  /** Time limit of one attempt of a request, up to the last byte of the reply, in seconds. @default 60 */
  readonly requestSeconds?: number;
}

export interface Connection {
  /** Without a slash at its end. */
  readonly url: string;
  readonly ca?: string;
  /** Certificates to trust in addition to those built into Node: {@link ca} and NODE_EXTRA_CA_CERTS. Set only with {@link ca}. */
  readonly caCertificates?: string;
  readonly insecureSkipVerify: boolean;
  readonly requestSeconds: number;
  /** URL of the proxy for this service. It may hold a password. */
  readonly proxy?: string;
  /** Warnings to print on every run, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * `url` and `caFile` of the stack win over the environment. `insecureSkipVerify` and `allowPlainHttp` are on if the stack or the
 * environment sets them: `false` in the stack does not switch them off.
 * @throws MISSING_URL, INVALID_URL, INSECURE_URL, INVALID_SETTING
 */
export function connection(literals: ConnectionLiterals, env: NodeJS.ProcessEnv): Connection {
  const url = serviceUrl(literals, env);
  const insecureSkipVerify = (literals.insecureSkipVerify ?? false) || flag(env, "CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY");
  const allowPlainHttp = (literals.allowPlainHttp ?? false) || flag(env, "CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP");
  const unencrypted = isUnencrypted(url);
  if (unencrypted && !allowPlainHttp) {
    throw new ConfigurationError(
      "INSECURE_URL",
      `${url.origin} would receive the token unencrypted: use its https URL. If the network is protected in another way, ` +
        "allow it with CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP=1 or, in a stack, allowPlainHttp on Platform",
    );
  }
  const warnings = [];
  if (unencrypted) warnings.push(`the token travels unencrypted to ${url.origin} (allowPlainHttp)`);
  if (insecureSkipVerify && url.protocol === "https:") {
    warnings.push(
      `the certificate of ${url.origin} is not verified (insecureSkipVerify): an attacker on the network can steal the token. ` +
        "Trust the service's certificate authority with CLUSTER_PLATFORM_CA_FILE or, in a stack, caFile instead",
    );
  }
  return {
    url: baseUrlOf(url),
    ...authorities(literals, env),
    insecureSkipVerify,
    requestSeconds: requestSeconds(literals),
    proxy: isLoopback(url.hostname) ? undefined : proxyFor(url, env),
    warnings,
  };
}

function serviceUrl(literals: ConnectionLiterals, env: NodeJS.ProcessEnv): URL {
  const fromStack = literals.url?.trim();
  const text = fromStack || env.CLUSTER_PLATFORM_URL?.trim();
  if (!text) {
    throw new ConfigurationError(
      "MISSING_URL",
      "the URL of the service is not known, and nothing was sent: set CLUSTER_PLATFORM_URL where Terraform runs or, in a stack, url on Platform",
    );
  }
  const subject = fromStack ? "Platform: 'url'" : "environment: 'CLUSTER_PLATFORM_URL'";
  const problem = baseUrlProblem(text) ?? problemBeside(literals.otherUrls, text);
  if (problem) throw new ConfigurationError("INVALID_URL", `${subject} must ${problem}`);
  return new URL(text);
}

/** Two Platforms of one service would each delete what the other one declares. */
function problemBeside(others: readonly string[] = [], url: string): string | undefined {
  if (!others.some((other) => baseUrlIn(other) === baseUrlIn(url))) return undefined;
  return `not be the url of another Platform of the stack, because a stack has one Platform per service, got ${url}; nothing was sent`;
}

function authorities(literals: ConnectionLiterals, env: NodeJS.ProcessEnv): Pick<Connection, "ca" | "caCertificates"> {
  const file = literals.caFile || env.CLUSTER_PLATFORM_CA_FILE?.trim();
  if (!file) return {};
  const subject = literals.caFile ? "Platform: 'caFile'" : "environment: 'CLUSTER_PLATFORM_CA_FILE'";
  const ca = locate(file);
  const refuse = (what: string, cause?: unknown) =>
    new ConfigurationError("INVALID_SETTING", `${subject} must name a readable PEM file of certificates, but ${ca} ${what}`, {
      cause,
    });
  const read = readRegularFile(ca, CERTIFICATES_LIMIT_MIB);
  if ("problem" in read) throw refuse(read.problem);
  const certificates = read.bytes.toString().match(CERTIFICATE);
  if (!certificates) throw refuse("holds no certificate");
  // Loaded only here, because it takes a hook 2 ms.
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  certificates.forEach((pem, index) => {
    try {
      new X509Certificate(pem);
    } catch (error) {
      throw refuse(`holds a broken certificate (number ${index + 1} of ${certificates.length})`, error);
    }
  });
  return { ca, caCertificates: [...certificates, ...extraCertificates(env)].join("\n") };
}

/** Many times the size of all public authorities together. */
const CERTIFICATES_LIMIT_MIB = 16;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node 20 drops these authorities when a program adds its own. */
function extraCertificates(env: NodeJS.ProcessEnv): readonly string[] {
  const read = readRegularFile(env.NODE_EXTRA_CA_CERTS ?? "", CERTIFICATES_LIMIT_MIB);
  // Node has already warned of a file that it cannot read.
  return "bytes" in read ? (read.bytes.toString().match(CERTIFICATE) ?? []) : [];
}

function requestSeconds({ requestSeconds = TIME_LIMITS.requestSeconds.default }: ConnectionLiterals): number {
  if (Number.isFinite(requestSeconds) && requestSeconds > 0) return requestSeconds;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `Platform: 'requestSeconds' must be a number of seconds above 0, got ${JSON.stringify(requestSeconds)}`,
  );
}

/**
 * The value of a switch that weakens protection. A typo in it is an error, not "off".
 * @throws INVALID_SETTING
 */
function flag(env: NodeJS.ProcessEnv, name: string): boolean {
  const value = (env[name] ?? "").trim().toLowerCase();
  if (value === "1" || value === "true") return true;
  if (value === "" || value === "0" || value === "false") return false;
  throw new ConfigurationError("INVALID_SETTING", `environment: '${name}' must be 1 or 0, got ${JSON.stringify(env[name])}`);
}
