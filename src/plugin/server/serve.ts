import { mkdtempSync, rmSync } from "node:fs";
import { X509Certificate } from "node:crypto";
import { createServer } from "node:http2";
import type { AddressInfo, ListenOptions, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { selfSignedCertificate, type Certificate } from "../protocol/certificate";
import { GRPCBrokerDefinition, GRPCControllerDefinition, GRPCStdioDefinition } from "../protocol/generated/go_plugin";
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthDefinition } from "../protocol/generated/grpc_health";
import { ProviderDefinition } from "../protocol/generated/tfplugin6.9";
import { GrpcServer, SILENT } from "../protocol/grpc";
import { Handshake, type Endpoint } from "../protocol/handshake";
import { Lifetime } from "../protocol/lifetime";
import { Log } from "../protocol/log";
import type { Provider } from "./provider";
import { providerService, type ProviderSource } from "./provider-service";
import { Strays } from "./strays";

/** The longest path of a Unix socket on macOS, in bytes. Linux allows a few more. */
const LONGEST_SOCKET_PATH = 103;

/**
 * Serves a provider to the Terraform process that has started this one.
 * @param name the provider's name in messages and in the log
 */
export async function serve<Configured>(name: string, source: ProviderSource<Configured>): Promise<void> {
  const handshake = new Handshake(process.env, Number(process.argv[2] ?? 1));
  const obstacle = handshake.obstacle();
  if (obstacle !== undefined) return refuse(handshake, obstacle);
  try {
    handshake.complete(await open(name, source));
  } catch (error) {
    refuse(handshake, `the provider ${name} cannot be started: ${(error as Error).message}`);
  }
}

function refuse(handshake: Handshake, reason: string): void {
  handshake.refuse(reason);
  process.exitCode = 1;
}

async function open<Configured>(name: string, { load, stored }: ProviderSource<Configured>): Promise<Endpoint> {
  const { env } = process;
  let redact = (text: string) => text;
  const log = new Log(name, env, (text) => redact(text));
  const strays = new Strays(log).watch();
  const lifetime = new Lifetime(log).watch();
  let served: Provider<Configured> | undefined;
  const source = {
    load: lazy(async () => {
      const loaded = await load();
      redact = (text) => loaded.redact?.(text) ?? text;
      return (served = loaded);
    }),
    stored,
  };

  const grpc = new GrpcServer()
    .add(ProviderDefinition, providerService(source, { name, log, lifetime, strays }))
    .add(GRPCControllerDefinition, {
      shutdown: (_, answered) => {
        lifetime.shutDown(answered);
        served?.close?.();
        return {};
      },
    })
    .add(GRPCBrokerDefinition, { startStream: SILENT })
    .add(GRPCStdioDefinition, { streamStdio: SILENT })
    .add(HealthDefinition, { check: () => ({ status: ServingStatus.SERVING }) });

  const clientCertificate = env.PLUGIN_CLIENT_CERT;
  const certificate = clientCertificate ? selfSignedCertificate() : undefined;
  const http2 = createServer();
  http2.on("stream", grpc.listener);
  http2.on("sessionError", (error: Error) => log.debug(`connection: ${error.message}`));
  const server = certificate ? secured(http2, certificate, clientCertificate!, log) : http2;
  return { ...(await listen(server, env)), certificate: certificate?.der };
}

/**
 * go-plugin's AutoMTLS: each side trusts only the certificate that the other has made for this process. The client's certificate
 * is compared here. With the option `ca`, Node would first parse the certificates of all public authorities, which takes 20 ms.
 */
function secured(server: Server, { pem, keyPem }: Certificate, clientCertificate: string, log: Log): Server {
  const expected = new X509Certificate(clientCertificate).raw;
  const options = {
    cert: pem,
    key: keyPem,
    // Without a list, Node would also parse these certificates. An empty list trusts no authority.
    ca: [],
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: "TLSv1.2" as const,
    ALPNProtocols: ["h2"],
  } satisfies TlsOptions;
  const tls = createTlsServer(options, (socket) => {
    if (socket.getPeerX509Certificate()?.raw.equals(expected)) {
      server.emit("connection", socket);
    } else {
      log.warn("connection refused: the client does not have the certificate of Terraform");
      socket.destroy();
    }
  });
  return tls.on("tlsClientError", (error: Error) => log.warn(`connection refused: ${error.message}`));
}

/** Other users cannot enter the socket's folder. Falls back to a loopback port if a socket is not possible. */
async function listen(server: Server, env: NodeJS.ProcessEnv): Promise<Endpoint> {
  const folder = socketFolder(env.PLUGIN_UNIX_SOCKET_DIR || tmpdir());
  if (folder === undefined) {
    await listening(server, { host: "127.0.0.1", port: 0 });
    return { network: "tcp", address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const address = join(folder, "plugin");
  await listening(server, { path: address });
  return { network: "unix", address };
}

function socketFolder(parent: string): string | undefined {
  if (process.platform === "win32" || join(parent, "plugin-XXXXXX", "plugin").length > LONGEST_SOCKET_PATH) return undefined;
  try {
    return mkdtempSync(join(parent, "plugin-"));
  } catch {
    return undefined;
  }
}

function listening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, resolve);
  });
}

function lazy<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => (made ??= make());
}
