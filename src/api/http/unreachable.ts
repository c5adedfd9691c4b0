import { UnreachableError } from "../../model/errors";
import type { Connection } from "../connection";
import { connectLimitMs, type TransportFailure, type WireRequest } from "./transport";

export function unreachable(request: WireRequest, failure: TransportFailure, connection: Connection): UnreachableError {
  const { method, path } = request;
  const { message, code, permanent } = explain(failure, connection);
  return new UnreachableError(method, path, message, {
    code,
    ambiguous: failure.sent && method === "POST",
    retryable: !permanent,
    cause: failure.cause,
  });
}

interface Explanation {
  readonly message: string;
  readonly code?: "UNTRUSTED_CERTIFICATE";
  /** Whether only a change of the settings, of the service or of the network can help. */
  readonly permanent?: boolean;
}

function explain({ cause, status, sent }: TransportFailure, connection: Connection): Explanation {
  const { url, proxy, ca, requestSeconds } = connection;
  const { origin, protocol } = new URL(url);
  const { code, message } = rootOf(cause);
  const via = proxy === undefined ? "" : ` by the proxy ${new URL(proxy).origin}`;
  const late = `within ${requestSeconds} seconds (requestSeconds)`;
  const tunnel = /^Proxy response \((\d+)\)|^Proxy Authentication Required \((407)\)/.exec(message);
  if (tunnel) {
    const refused = tunnel[1] ?? tunnel[2]!;
    const way = refused === "407" ? "give its user name and password in its URL" : "allow the host there";
    return {
      message: `the proxy ${new URL(proxy!).origin} refuses the connection to ${origin} (${refused}): ${way}, or add the host to NO_PROXY`,
      permanent: !/^5/.test(refused),
    };
  }
  switch (code) {
    case "ECONNREFUSED":
      return { message: `nothing listens at ${origin}${via} (${code})` };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { message: `the name of the host is not known: ${message} (of ${origin}${via})` };
    case "UND_ERR_CONNECT_TIMEOUT":
      return { message: `no connection to ${origin}${via} within ${connectLimitMs(connection) / 1000} seconds` };
    case "REQUEST_TIMEOUT":
      return {
        message: `${origin} ${status === undefined ? "did not answer" : `began to answer (${status}), but did not finish`} ${late}`,
      };
    case "UND_ERR_RES_EXCEEDED_MAX_SIZE":
      return { message: `the answer of ${origin} is too large to be one of the service`, permanent: true };
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "EPROTO":
      return {
        message: `what listens at ${origin}${via} does not speak TLS (${code}): is its URL an http one?`,
        permanent: true,
      };
  }
  if (UNTRUSTED.test(code)) {
    const way =
      ca === undefined
        ? "name the PEM file of its certificate authority with CLUSTER_PLATFORM_CA_FILE or, in a stack, caFile"
        : `${ca} does not help`;
    return {
      message: `the certificate of ${origin} is not trusted: ${message} (${code}); if it is the right host, ${way}`,
      code: "UNTRUSTED_CERTIFICATE",
      permanent: true,
    };
  }
  if (INVALID.test(code)) {
    return {
      message: `the certificate of ${origin} is not valid for it: ${message} (${code})`,
      code: "UNTRUSTED_CERTIFICATE",
      permanent: true,
    };
  }
  if (code.startsWith("HPE_")) {
    const advice = protocol === "http:" ? ": is its URL an https one?" : "";
    return { message: `what listens at ${origin}${via} does not speak HTTP (${code})${advice}`, permanent: true };
  }
  const when = sent
    ? status === undefined
      ? "before it answered"
      : `while it answered (${status})`
    : "before anything was sent";
  return { message: `the connection to ${origin}${via} broke ${when}${code && ` (${code})`}` };
}

const UNTRUSTED =
  /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA)/;
const INVALID = /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_|CRL_|HOSTNAME_MISMATCH|INVALID_PURPOSE|UND_ERR_PRX_TLS)/;

/** Node tries the addresses of a host in turn. If all fail, it throws one error without a message. */
function rootOf(cause: unknown): { code: string; message: string } {
  const error = cause as { code?: unknown; message?: unknown; errors?: unknown[] } | undefined;
  if (error?.errors?.[0] !== undefined) return rootOf(error.errors[0]);
  return { code: String(error?.code ?? ""), message: String(error?.message ?? "") };
}
