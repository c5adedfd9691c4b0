import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { proxyFor } from "../../src/api/http/proxy";
import { connection, type ConnectionLiterals } from "../../src/api/connection";
import { certificateAuthority, describeWithTls } from "./certificates";

const url = "https://platform.example.com";

const failure = (literals: ConnectionLiterals, env: NodeJS.ProcessEnv = {}): Error & { code: string } => {
  try {
    connection(literals, env);
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error("it was accepted");
};

describe("the URL", () => {
  test.each([
    [{ url }, { CLUSTER_PLATFORM_URL: "https://other.example.com" }, url],
    [{}, { CLUSTER_PLATFORM_URL: " https://platform.example.com/\n" }, url],
    [{ url: `${url}/base/path//` }, {}, `${url}/base/path`],
    [{ url: "HTTPS://Platform.Example.com:443/" }, {}, url],
    [{ url: " " }, { CLUSTER_PLATFORM_URL: url }, url],
  ])("of %j and %j is %s", (literals, env, expected) => {
    expect(connection(literals, env)).toMatchObject({
      url: expected,
      requestSeconds: 60,
      insecureSkipVerify: false,
      warnings: [],
    });
  });

  const otherUrls = ["https://other.example.com"];
  test("of the run must not be that of another Platform of the stack", () => {
    expect(connection({ otherUrls }, { CLUSTER_PLATFORM_URL: url }).url).toBe(url);
    expect(failure({ otherUrls }, { CLUSTER_PLATFORM_URL: "https://OTHER.example.com/" })).toMatchObject({
      code: "INVALID_URL",
      message:
        "environment: 'CLUSTER_PLATFORM_URL' must not be the url of another Platform of the stack, because a stack has one Platform per service, " +
        "got https://OTHER.example.com/; nothing was sent",
    });
  });

  test.each([{}, { CLUSTER_PLATFORM_URL: " " }])("is required, and the error names both ways to set it (%j)", (env) => {
    expect(failure({}, env)).toMatchObject({
      name: "ConfigurationError",
      code: "MISSING_URL",
      message: expect.stringMatching(/set CLUSTER_PLATFORM_URL .*, url on Platform/),
    });
  });

  test.each([
    ["platform.example.com", /be an absolute http or https URL.*got "platform\.example\.com"/],
    ["ftp://platform.example.com", /be an absolute http or https URL/],
    ["https://", /be an absolute http or https URL/],
    [`${url}?tenant=1`, /not hold a query or fragment/],
    [`${url}/#top`, /not hold a query or fragment/],
    ["https://me:hunter2@platform.example.com", /not hold a user name or password/],
    ["ftp://me:hunter2@platform.example.com", /not hold a user name or password/],
    ["https://hunter2@platform.example.com", /not hold a user name or password/],
    ["https://:hunter2@platform.example.com", /not hold a user name or password/],
    ["xhttps://platform.example.com", /be an absolute http or https URL/],
    ["https.x://platform.example.com", /be an absolute http or https URL/],
    [`ftp://${"x".repeat(300)}`, /got "ftp:\/\/x{194}"$/],
    [`${url}/api/v1`, /without \/api\/v1 and what follows it, got "https:\/\/platform\.example\.com\/api\/v1"/],
    [`${url}/api/v1/clusters`, /without \/api\/v1 and what follows it/],
    [`${url}/base/api/v1//`, /without \/api\/v1 and what follows it/],
    ["me:hunter2@platform", /be an absolute http or https URL/],
  ])("%p is refused, without a password in the message", (bad, rule) => {
    for (const [error, where] of [
      [failure({ url: bad }), "Platform: 'url' must "],
      [failure({}, { CLUSTER_PLATFORM_URL: bad }), "environment: 'CLUSTER_PLATFORM_URL' must "],
    ] as const) {
      expect(error.code).toBe("INVALID_URL");
      expect(error.message).toMatch(rule);
      expect(error.message.startsWith(where)).toBe(true);
      expect(error.message).not.toContain("hunter2");
    }
  });
});

describe("plain HTTP", () => {
  test.each(["http://127.0.0.1:8080", "http://localhost", "http://[::1]:80", "http://127.9.9.9", "http://127.1"])(
    "is good enough for this machine: %s",
    (local) => {
      expect(connection({ url: local }, {}).warnings).toEqual([]);
    },
  );

  test.each([
    "http://platform.example.com",
    "http://10.0.0.1",
    "http://localhost.example.com",
    "http://127.0.0.1.nip.io",
    "http://app.localhost",
    "http://0.0.0.0",
    "http://[::ffff:10.0.0.1]",
  ])("to %s is refused unless it is allowed, and then a warning is shown", (remote) => {
    expect(failure({ url: remote })).toMatchObject({
      code: "INSECURE_URL",
      message: expect.stringMatching(/CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP=1 or, in a stack, allowPlainHttp on Platform/),
    });
    expect(failure({ url: remote }, { CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP: "0" }).code).toBe("INSECURE_URL");
    const [byLiteral, byEnv] = [
      connection({ url: remote, allowPlainHttp: true }, {}),
      connection({ url: remote }, { CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP: "1" }),
    ];
    for (const { warnings } of [byLiteral, byEnv]) expect(warnings).toEqual([expect.stringMatching(/travels unencrypted/)]);
  });
});

describe("unverified certificates", () => {
  test.each(["", "0", "false", "False", " 0 "])("are refused by %j", (value) => {
    const env = { CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY: value, CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP: value };
    expect(connection({ url }, env)).toMatchObject({ insecureSkipVerify: false, warnings: [] });
    expect(failure({ url: "http://platform.example.com" }, env).code).toBe("INSECURE_URL");
  });

  test("do not matter for plain HTTP", () => {
    expect(connection({ url: "http://127.0.0.1", insecureSkipVerify: true }, {}).warnings).toEqual([]);
  });

  test.each([
    [{ insecureSkipVerify: true }, {}],
    [{}, { CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY: " TRUE\n" }],
    [{}, { CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY: "1" }],
    [{ insecureSkipVerify: false }, { CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY: "true" }],
  ])("are accepted with %j or %j, with a warning", (literals, env) => {
    expect(connection({ url, ...literals }, env)).toMatchObject({
      insecureSkipVerify: true,
      warnings: [expect.stringMatching(/certificate of https:\/\/platform\.example\.com is not verified/)],
    });
  });

  test("need a value that is understood", () => {
    expect(failure({ url }, { CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY: "ture" })).toMatchObject({
      code: "INVALID_SETTING",
      message: `environment: 'CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY' must be 1 or 0, got "ture"`,
    });
  });
});

test.each([0, -1, NaN, Infinity, "60" as unknown as number])("a requestSeconds of %p is refused", (requestSeconds) => {
  expect(failure({ url, requestSeconds })).toMatchObject({
    code: "INVALID_SETTING",
    message: expect.stringMatching(/^Platform: 'requestSeconds' must be a number of seconds above 0, got /),
  });
});

describeWithTls("the file of authorities", () => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  const authority = certificateAuthority();
  afterAll(() => {
    rmSync(folder, { recursive: true });
    authority.remove();
  });
  const file = (content: string) => {
    const path = join(folder, "ca.pem");
    writeFileSync(path, content);
    return path;
  };

  test("may hold several certificates with text between them", () => {
    const ca = file(`# ours\r\n${authority.pem}\nSubject: another\n${authority.pem}`);
    for (const target of [connection({ url, caFile: ca }, {}), connection({ url }, { CLUSTER_PLATFORM_CA_FILE: ` ${ca}\n` })]) {
      expect(target.ca).toBe(ca);
      expect(target.caCertificates!.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    }
  });

  test("is used together with Node's own, if that is a file", () => {
    const extra = (path: string) =>
      connection({ url, caFile: file(authority.pem) }, { NODE_EXTRA_CA_CERTS: path }).caCertificates!;
    const path = join(folder, "extra.pem");
    writeFileSync(path, authority.pem);
    expect(extra(path).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    truncateSync(path, 20 * 1024 * 1024);
    for (const none of [path, folder, join(folder, "missing.pem")]) {
      expect(extra(none).match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    }
  });

  test("of the stack takes precedence over the one of the environment", () => {
    const ca = file(authority.pem);
    expect(connection({ url, caFile: ca }, { CLUSTER_PLATFORM_CA_FILE: "/nowhere" }).ca).toBe(ca);
  });

  test.each([
    ["is missing", () => join(folder, "missing.pem"), /missing\.pem cannot be read \(ENOENT\)/],
    ["is a folder", () => folder, /is a folder$/],
    ["is no PEM", () => file("hello"), /ca\.pem holds no certificate/],
    ["is a key", () => file("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"), /holds no certificate/],
    [
      "is broken",
      () => file(`${authority.pem}${authority.pem.replace(/\n[^\n]+\n[^\n]+\n-/, "\n-")}`),
      /a broken certificate \(number 2 of 2\)/,
    ],
  ])("is refused by name if it %s", (_, path, message) => {
    const bad = path();
    expect(failure({ url, caFile: bad })).toMatchObject({ code: "INVALID_SETTING", message: expect.stringMatching(message) });
    expect(failure({ url, caFile: bad }).message).toMatch(/^Platform: 'caFile' must /);
    expect(failure({ url }, { CLUSTER_PLATFORM_CA_FILE: bad }).message).toMatch(/^environment: 'CLUSTER_PLATFORM_CA_FILE' must /);
  });
});

describe("the proxy", () => {
  const proxy = "http://proxy.example.com:3128";

  test.each([
    ["https://a.example.com", { HTTPS_PROXY: proxy }, proxy],
    ["https://a.example.com", { https_proxy: proxy, HTTPS_PROXY: "http://other" }, proxy],
    ["https://a.example.com", { HTTPS_PROXY: "proxy.example.com:3128" }, proxy],
    ["https://a.example.com", { HTTPS_PROXY: "" }, undefined],
    ["https://a.example.com", { HTTP_PROXY: proxy }, undefined],
    ["http://a.example.com", { HTTP_PROXY: proxy }, proxy],
    ["http://a.example.com", { HTTPS_PROXY: proxy }, undefined],
  ])("of %s by %j is %s", (target, env, expected) => {
    expect(proxyFor(new URL(target), env)).toBe(expected);
  });

  test.each([
    ["https://a.example.com", "*", false],
    ["https://a.example.com", "a.example.com", false],
    ["https://a.example.com", "EXAMPLE.com", false],
    ["https://a.example.com", "b.example.com, example.com", false],
    ["https://a.example.com", ".example.com", false],
    ["https://a.example.com", "*.example.com", false],
    ["https://example.com", ".example.com", true],
    ["https://example.com", "*.example.com", true],
    ["https://badexample.com", "example.com", true],
    ["https://a.example.com", "a.example.com:443", false],
    ["https://a.example.com", "a.example.com:8443", true],
    ["https://a.example.com:8443", "a.example.com:8443", false],
    ["https://10.1.2.3", "10.0.0.0/8", false],
    ["https://11.1.2.3", "10.0.0.0/8", true],
    ["https://10.1.2.3", "10.1.2.3", false],
    ["https://10.1.2.3", "2.3", true],
    ["https://[fd00::1]", "fd00::/8", false],
    ["https://[fd00::1]", "[fd00::1]", false],
    ["https://[fd00::1]", "10.0.0.0/8", true],
    ["https://a.example.com", "10.0.0.0/8", true],
    ["https://10.1.2.3", "10.0.0.0/99", true],
    ["https://a.example.com", "", true],
  ])("is used for %s with NO_PROXY=%s: %p", (target, noProxy, used) => {
    for (const name of ["NO_PROXY", "no_proxy"]) {
      expect(proxyFor(new URL(target), { HTTPS_PROXY: proxy, [name]: noProxy })).toBe(used ? proxy : undefined);
    }
  });

  test("is not used for this machine", () => {
    expect(connection({ url: "http://127.0.0.1:8080" }, { HTTP_PROXY: proxy }).proxy).toBeUndefined();
    expect(connection({ url }, { HTTPS_PROXY: proxy }).proxy).toBe(proxy);
  });

  test.each(["socks5://me:hunter2@proxy:1080", "http://", "http://me:hunter2%@proxy"])(
    "%s is refused without showing it",
    (bad) => {
      const error = failure({ url }, { HTTPS_PROXY: bad });
      expect(error).toMatchObject({
        code: "INVALID_SETTING",
        message: expect.stringMatching(/^environment: 'HTTPS_PROXY' must /),
      });
      expect(error.message).not.toContain("hunter2");
    },
  );
});
