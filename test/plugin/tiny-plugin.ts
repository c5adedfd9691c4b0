import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { connect as connectSocket } from "node:net";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect as connectTls } from "node:tls";
import type { MessageFns } from "../../src/plugin/protocol/generated/tfplugin6.9";
import { localhostTls } from "../support/localhost-tls";
import { thisSystem } from "../../src/contract/plugin-package";

export const VERSION = "0.1.0";

/** Bundles the test provider in the same way as the package's provider. */
export function bundleTiny(): string {
  return bundle({ entry: "test/plugin/tiny/main.ts", name: "tiny" }, mkdtempSync(join(tmpdir(), "tiny-provider-")));
}

export function bundle(plugin: { entry: string; name: string }, folder: string, clone = process.cwd()): string {
  const options = { ...plugin, folder, version: VERSION };
  const script = `import("./scripts/bundle-plugin.mjs").then((scripts) => scripts.bundlePlugin(${JSON.stringify(options)}))`;
  execFileSync(process.execPath, ["-e", script], { cwd: clone, stdio: ["ignore", "inherit", "inherit"] });
  return folder;
}

/** Copies a bundle to the folder below a configuration where Terraform and OpenTofu look for plugins. */
export function installTiny(bundle: string, folder: string): void {
  cpSync(bundle, join(folder, "terraform.d/plugins/tiny.invalid/test/tiny", VERSION, thisSystem()), { recursive: true });
}

export const STARTED_BY_TERRAFORM = {
  TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
  PLUGIN_PROTOCOL_VERSIONS: "5,6",
  PLUGIN_CLIENT_CERT: localhostTls.cert,
};

export interface Reply<Response> {
  readonly status: number;
  readonly message: string;
  readonly response: Response | undefined;
}

/** A plugin process that is started and used as Terraform does it. */
export class PluginProcess {
  readonly exited: Promise<number | null>;
  readonly log: string[] = [];

  private constructor(
    readonly child: ChildProcess,
    readonly handshake: Promise<string>,
  ) {
    this.exited = new Promise((resolve) => child.on("close", resolve));
    createInterface({ input: child.stderr! }).on("line", (line) => this.log.push(line));
  }

  static start(bundle: string, env: NodeJS.ProcessEnv = {}): PluginProcess {
    return PluginProcess.launch(join(bundle, `terraform-provider-tiny_v${VERSION}`), env);
  }

  static launch(launcher: string, env: NodeJS.ProcessEnv): PluginProcess {
    const child = spawn(launcher, {
      env: { ...process.env, ...STARTED_BY_TERRAFORM, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const line = new Promise<string>((resolve) => {
      const lines = createInterface({ input: child.stdout });
      lines.once("line", resolve);
      lines.once("close", () => resolve(""));
    });
    return new PluginProcess(child, line);
  }

  async connect(credentials: Credentials | undefined = localhostTls): Promise<Connection> {
    return Connection.to(await this.handshake, credentials);
  }

  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    this.child.kill(signal);
  }
}

/** A client's certificate and key. Empty for a client without a certificate. */
type Credentials = { readonly key?: string; readonly cert?: string };

/** A gRPC client that can also break the protocol. */
export class Connection {
  private constructor(private readonly session: ClientHttp2Session) {}

  static async to(handshake: string, credentials: Credentials | undefined): Promise<Connection> {
    const [, , network, address, , certificate] = handshake.split("|") as [string, string, string, string, string, string];
    const socket =
      network === "unix" ? connectSocket(address) : connectSocket(Number(address.split(":")[1]), address.split(":")[0]!);
    if (credentials === undefined) return new Connection(connect("http://localhost", { createConnection: () => socket }));
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate}${"=".repeat(-certificate.length & 3)}\n-----END CERTIFICATE-----\n`;
    const secured = connectTls({ socket, ca: pem, servername: "localhost", ALPNProtocols: ["h2"], ...credentials });
    const session = connect("https://localhost", { createConnection: () => secured });
    await new Promise((resolve, reject) => {
      session.once("connect", resolve);
      session.once("error", reject);
      session.once("close", () => reject(new Error("closed")));
      // With TLS 1.3, the server refuses a certificate only after the client has connected.
      session.once("goaway", reject);
    });
    await new Promise((resolve, reject) => {
      session.ping((error) => (error ? reject(error) : resolve(undefined)));
    });
    return new Connection(session);
  }

  async call<Request, Response>(
    service: string,
    method: { name: string; requestType: MessageFns<Request>; responseType: MessageFns<Response> },
    request: Request,
  ): Promise<Reply<Response>> {
    const { status, message, body } = await this.send(
      `/${service}/${method.name}`,
      framed(method.requestType.encode(request).finish()),
    );
    return {
      status,
      message,
      response: body.length > 5 || status === 0 ? method.responseType.decode(body.subarray(5)) : undefined,
    };
  }

  send(path: string, data: Uint8Array, headers: Record<string, string> = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      });
      let trailers: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      stream.on("response", (received) => (trailers = received));
      stream.on("trailers", (received) => (trailers = { ...trailers, ...received }));
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("close", () =>
        resolve({
          http: Number(trailers[":status"]),
          status: Number(trailers["grpc-status"] ?? NaN),
          message: decodeURIComponent(String(trailers["grpc-message"] ?? "")),
          body: Buffer.concat(chunks),
        }),
      );
      stream.end(data);
    });
  }

  close(): void {
    this.session.destroy();
  }
}

interface Answer {
  readonly http: number;
  readonly status: number;
  readonly message: string;
  readonly body: Buffer;
}

export function framed(message: Uint8Array): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
