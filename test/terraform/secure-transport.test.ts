import { networkInterfaces } from "node:os";
import { relative } from "node:path";
import { certificateAuthority, describeWithTls, type Authority } from "../api/certificates";
import { type Backend, backends, providerBackend } from "../support/tools";
import { StackFixture } from "./stack-fixture";

let fixture: StackFixture;
let authority: Authority;
afterEach(() => fixture.close());

const https = (backend?: Backend) => StackFixture.open({ backend, tls: authority.issue("IP:127.0.0.1", "DNS:localhost") });

describeWithTls("over TLS", () => {
  beforeAll(() => (authority = certificateAuthority()));
  afterAll(() => authority.remove());
  beforeEach(async () => (fixture = await https()));

  test("an unknown authority is refused by default, before the token is sent, even with Node's own switch", async () => {
    fixture.declare(["prod"]);
    for (const env of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }]) {
      const output = await fixture.failed({ env });
      expect(output).toContain(`the certificate of ${fixture.simulator.url} is not trusted`);
      expect(output).toContain(
        "name the PEM file of its certificate authority with CLUSTER_PLATFORM_CA_FILE or, in a stack, caFile",
      );
      expect(fixture.simulator.requests).toEqual([]);
    }
  });

  test.each([...backends.slice(0, 1), providerBackend])(
    "and by the prop, relative to the project, on $title",
    async (backend) => {
      await fixture.close();
      fixture = await https(backend);
      fixture.declare(["prod"], { tls: { caFile: relative(process.cwd(), authority.file) } });
      expect(await fixture.applied()).not.toContain("Warning:");
      expect(fixture.live()).toEqual(["prod", "vsphere"]);
    },
  );
});

const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;
if (!address) console.error("NOT RUN: plain HTTP to another host, because this machine has no address but loopback");

(address ? test : test.skip)(
  "plain HTTP to a host that is not this machine is refused unless allowed, and then warns",
  async () => {
    fixture = await StackFixture.open({ host: "0.0.0.0" });
    const url = fixture.simulator.url.replace("127.0.0.1", address!);
    const env = { CLUSTER_PLATFORM_URL: url, NO_PROXY: "*" };
    fixture.declare(["prod"]);
    expect(await fixture.failed({ env })).toContain(`${url} would receive the token unencrypted: use its https URL`);
    expect(fixture.simulator.requests).toEqual([]);
    const output = await fixture.applied({ env: { ...env, CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP: "1" } });
    expect(output).toContain(`Warning: the token travels unencrypted to ${url} (allowPlainHttp)`);
    expect(fixture.live()).toEqual(["prod", "vsphere"]);
  },
);
