import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type Authority, certificateAuthority, describeWithTls } from "./certificates";
import { clientOf, closeAll, failureOf, NO_CLUSTERS, serve, type Service, TOKEN } from "./service";

afterEach(closeAll);

/** Lists clusters at each URL in a new process, because Node reads some variables only at its start. Returns the output. */
function listInNewProcess(urls: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const program = `
    const { PlatformClient } = require("./src/api/client");
    const { connection } = require("./src/api/connection");
    const { credentials } = require("./src/api/credentials");
    const list = async (url) => {
      const client = new PlatformClient({ connection: connection({ url }, process.env), credentials: credentials(process.env) });
      await client.listClusters().then(() => console.log("listed"), (error) => console.log(error.code));
      await client.close();
    };
    (async () => { for (const url of ${JSON.stringify(urls)}) await list(url); })();`;
  return new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      ["--require", "tsx/cjs", "--eval", program],
      { env: { PATH: process.env.PATH, CLUSTER_PLATFORM_TOKEN: TOKEN, ...env } },
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(stdout.trim())),
    ),
  );
}

describeWithTls("TLS", () => {
  let authority: Authority;
  let stranger: Authority;
  beforeAll(() => {
    authority = certificateAuthority("Company");
    stranger = certificateAuthority("Stranger");
  });
  afterAll(() => {
    authority.remove();
    stranger.remove();
  });

  test("a certificate of an unknown authority is refused at once, and the error says how to trust it", async () => {
    const service = await serve(NO_CLUSTERS, authority.issue("IP:127.0.0.1"));
    const error = await failureOf(clientOf(service.url).listClusters());
    expect(error).toMatchObject({ code: "UNTRUSTED_CERTIFICATE", ambiguous: false });
    expect(error.message).toMatch(
      /certificate of https:\/\/127.* is not trusted.*CLUSTER_PLATFORM_CA_FILE or, in a stack, caFile$/,
    );
    expect(service.connections()).toBe(1);
    expect(service.requests).toHaveLength(0);
  });

  test("a private authority is trusted with its file, and only with it", async () => {
    const service = await serve(NO_CLUSTERS, authority.issue("IP:127.0.0.1"));
    await clientOf(service.url, { literals: { caFile: authority.file } }).listClusters();
    await clientOf(service.url, { env: { CLUSTER_PLATFORM_CA_FILE: authority.file } }).listClusters();
    expect(service.requests).toHaveLength(2);
    const error = await failureOf(clientOf(service.url, { literals: { caFile: stranger.file } }).listClusters());
    expect(error.code).toBe("UNTRUSTED_CERTIFICATE");
    expect(error.message).toContain(`${stranger.file} does not help`);
  });

  test("a certificate of another host is refused", async () => {
    const service = await serve(NO_CLUSTERS, authority.issue("DNS:other.example.com"));
    const error = await failureOf(clientOf(service.url, { literals: { caFile: authority.file } }).listClusters());
    expect(error.code).toBe("UNTRUSTED_CERTIFICATE");
    expect(error.message).toMatch(/is not valid for it: .*127\.0\.0\.1 is not in the cert's list/);
    expect(service.requests).toHaveLength(0);
  });

  test("any certificate is accepted with insecureSkipVerify, and only with it", async () => {
    const service = await serve(NO_CLUSTERS, authority.issue("DNS:other.example.com"));
    await clientOf(service.url, { literals: { insecureSkipVerify: true } }).listClusters();
    await clientOf(service.url, { env: { CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY: "1" } }).listClusters();
    expect(service.requests).toHaveLength(2);

    const output = await listInNewProcess([service.url], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(output).toBe("UNTRUSTED_CERTIFICATE");
  });

  test("the file adds to the authorities of Node, including NODE_EXTRA_CA_CERTS", async () => {
    const [ours, theirs] = [
      await serve(NO_CLUSTERS, authority.issue("IP:127.0.0.1")),
      await serve(NO_CLUSTERS, stranger.issue("IP:127.0.0.1")),
    ];
    const output = await listInNewProcess([ours.url, theirs.url], {
      NODE_EXTRA_CA_CERTS: stranger.file,
      CLUSTER_PLATFORM_CA_FILE: authority.file,
    });
    expect(output).toBe("listed\nlisted");
  });

  test("a server with plain HTTP, or with no HTTP at all, is named as such", async () => {
    const plain = await serve(NO_CLUSTERS);
    const error = await failureOf(clientOf(plain.url.replace("http:", "https:")).listClusters());
    expect(error.message).toMatch(/does not speak TLS \((ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)\): is its URL an http one\?$/);

    const tls = createTlsServer(authority.issue("IP:127.0.0.1")).listen(0, "127.0.0.1");
    await once(tls, "listening");
    const other = await failureOf(clientOf(`http://127.0.0.1:${(tls.address() as AddressInfo).port}`).createCluster("capvs", {}));
    expect(other.message).toMatch(/does not speak HTTP|broke before it answered/);
    tls.close();
  });

  describe("through a proxy", () => {
    /** An HTTP proxy that connects to loopback for every host and records its requests. */
    async function proxy({
      answer,
      tls,
      gate,
    }: { answer?: number; tls?: { key: string; cert: string }; gate?: Promise<void> } = {}) {
      const asked: { line: string; authorization: string | undefined; proxyAuthorization: string | undefined }[] = [];
      const handler: Server = createServer((request, response) => {
        asked.push({
          line: `${request.method} ${request.url}`,
          authorization: request.headers.authorization,
          proxyAuthorization: request.headers["proxy-authorization"],
        });
        if (answer) return response.writeHead(answer).end();
        const target = new URL(request.url!);
        void fetch(`http://127.0.0.1:${target.port}${target.pathname}`, {
          headers: { authorization: request.headers.authorization! },
        })
          .then((reply) => reply.text())
          .then((body) => response.end(body));
      });
      const sockets = new Set<Socket>();
      handler.on("connect", async (request, socket: Socket, head: Buffer) => {
        sockets.add(socket);
        asked.push({
          line: `CONNECT ${request.url}`,
          authorization: request.headers.authorization,
          proxyAuthorization: request.headers["proxy-authorization"],
        });
        if (answer) return socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
        await gate;
        const upstream = connect(Number(request.url!.split(":")[1]), "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          upstream.write(head);
          socket.pipe(upstream).pipe(socket);
        });
        sockets.add(upstream);
        for (const end of [socket, upstream]) end.on("error", () => end.destroy());
      });
      const front = tls ? createTlsServer(tls, (socket) => handler.emit("connection", socket)) : handler;
      front.listen(0, "127.0.0.1");
      await once(front, "listening");
      proxies.push(() => {
        front.close();
        handler.closeAllConnections();
        sockets.forEach((socket) => socket.destroy());
      });
      return { asked, port: (front.address() as AddressInfo).port };
    }
    const proxies: (() => void)[] = [];
    afterEach(() => proxies.splice(0).forEach((close) => close()));

    const named = (service: Service, scheme = "https") => `${scheme}://platform.test:${service.port}`;

    test("a private authority is trusted, and the proxy never gets the token", async () => {
      const service = await serve(NO_CLUSTERS, authority.issue("DNS:platform.test"));
      const { asked, port } = await proxy();
      const env = { HTTPS_PROXY: `http://127.0.0.1:${port}`, CLUSTER_PLATFORM_CA_FILE: authority.file };
      const client = clientOf(named(service), { env });
      await client.listClusters();
      await client.listClusters();
      expect(asked).toEqual([
        { line: `CONNECT platform.test:${service.port}`, authorization: undefined, proxyAuthorization: undefined },
      ]);
      expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
      expect(
        (await failureOf(clientOf(named(service), { env: { ...env, CLUSTER_PLATFORM_CA_FILE: stranger.file } }).listClusters()))
          .code,
      ).toBe("UNTRUSTED_CERTIFICATE");
    });

    test("a private authority is trusted for the proxy too", async () => {
      const service = await serve(NO_CLUSTERS, authority.issue("DNS:platform.test"));
      const { asked, port } = await proxy({ tls: authority.issue("IP:127.0.0.1") });
      const env = { HTTPS_PROXY: `https://127.0.0.1:${port}`, CLUSTER_PLATFORM_CA_FILE: authority.file };
      await clientOf(named(service), { env }).listClusters();
      expect(asked).toHaveLength(1);
    });

    test.each([false, true])(
      "an untrusted proxy gets nothing over TLS, even if the service need not be trusted: %p",
      async (skip) => {
        const service = await serve(NO_CLUSTERS, authority.issue("DNS:platform.test"));
        const { asked, port } = await proxy({ tls: stranger.issue("IP:127.0.0.1") });
        const env = { HTTPS_PROXY: `https://me:hunter2@127.0.0.1:${port}`, CLUSTER_PLATFORM_CA_FILE: authority.file };
        const literals = { insecureSkipVerify: skip };
        const error = await failureOf(clientOf(named(service), { env, literals }).listClusters({ limitMs: 2_000 }));
        expect(error.message).not.toContain("hunter2");
        expect(asked).toEqual([]);
        expect(service.requests).toEqual([]);
      },
    );

    test("the proxy gets its user name and password, and they are never shown", async () => {
      const service = await serve(NO_CLUSTERS, authority.issue("DNS:platform.test"));
      const { asked, port } = await proxy();
      const env = { https_proxy: `http://me:hunter%202@127.0.0.1:${port}`, CLUSTER_PLATFORM_CA_FILE: authority.file };
      await clientOf(named(service), { env }).listClusters();
      expect(asked[0]!.proxyAuthorization).toBe(`Basic ${Buffer.from("me:hunter 2").toString("base64")}`);

      const refusing = await proxy({ answer: 407 });
      const error = await failureOf(
        clientOf(named(service), { env: { https_proxy: `http://me:hunter2@127.0.0.1:${refusing.port}` } }).createCluster(
          "capvs",
          {},
        ),
      );
      expect(error).toMatchObject({ code: "UNREACHABLE", ambiguous: false });
      expect(error.message).toContain(`the proxy http://127.0.0.1:${refusing.port} refuses the connection to`);
      expect(error.message).not.toContain("hunter2");
      expect(refusing.asked).toHaveLength(1);
    });

    test("a request that is aborted during CONNECT is not sent later", async () => {
      const service = await serve(NO_CLUSTERS, authority.issue("DNS:platform.test"));
      let open: () => void = () => undefined;
      const { asked, port } = await proxy({ gate: new Promise((resolve) => (open = resolve)) });
      const env = { HTTPS_PROXY: `http://127.0.0.1:${port}`, CLUSTER_PLATFORM_CA_FILE: authority.file };
      const abort = new AbortController();
      const given = failureOf(clientOf(named(service), { env }).createCluster("capvs", {}, { signal: abort.signal }));
      while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      abort.abort();
      expect(await given).toMatchObject({ code: "INTERRUPTED", ambiguous: false });
      open();
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(service.connections()).toBe(1);
      expect(service.requests).toHaveLength(0);
    });

    test("plain HTTP is requested with the full URL", async () => {
      const service = await serve(NO_CLUSTERS);
      const { asked, port } = await proxy();
      const env = { http_proxy: `http://127.0.0.1:${port}`, CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP: "1" };
      await clientOf(named(service, "http"), { env }).listClusters();
      expect(asked.map(({ line }) => line)).toEqual([`GET ${named(service, "http")}/api/v1/clusters`]);
      expect(service.requests).toHaveLength(1);
    });

    test("a missing proxy gives another error than a missing service", async () => {
      const gone = await proxy();
      proxies.pop()!();
      const env = { HTTPS_PROXY: `http://127.0.0.1:${gone.port}` };
      const error = await failureOf(clientOf("https://platform.test", { env }).createCluster("capvs", {}, { limitMs: 700 }));
      expect(error.message).toContain(`by the proxy http://127.0.0.1:${gone.port}`);
      expect(error.ambiguous).toBe(false);
    });
  });
});
