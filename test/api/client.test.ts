import { Redactor } from "../../src/util/redaction";
import { clientOf, closeAll, failureOf, serve } from "./service";

afterEach(closeAll);

describe("deletion", () => {
  test.each([
    [200, "{}", "done"],
    [202, "nonsense }{", "accepted"],
    [204, "", "done"],
    [200, "<html>Welcome", "doubtful"],
    [404, "{}", "doubtful"],
    [410, "<html>Gone", "doubtful"],
  ])("that is answered with %i and %j is %s", async (status, body, outcome) => {
    const service = await serve({ status, body });
    const client = clientOf(service.url);
    await expect(client.deleteCluster("prod")).resolves.toBe(outcome);
    await expect(client.deleteProvider("capsmv2", "metal")).resolves.toBe(outcome);
    expect(service.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["DELETE", "/api/v1/clusters/prod", ""],
      ["DELETE", "/api/v1/platform/providers/capsmv2/metal", ""],
    ]);
  });

  test.each([
    ["a/b", "a%2Fb"],
    ["../x", "..%2Fx"],
    ["a b?c#d%e", "a%20b%3Fc%23d%25e"],
    ["a\r\nHost: evil", "a%0D%0AHost%3A%20evil"],
    ["ö\u{1f511}", "%C3%B6%F0%9F%94%91"],
    ["...", "..."],
    ["x".repeat(300), "x".repeat(300)],
  ])("of %j names one object and no other", async (name, encoded) => {
    const service = await serve({ status: 204 });
    await clientOf(service.url).deleteCluster(name);
    expect(service.requests[0]!.path).toBe(`/api/v1/clusters/${encoded}`);
  });

  test.each(["", ".", "..", "a\ud800"])("of %j is refused before anything is sent", async (name) => {
    const service = await serve({ status: 204 });
    const client = clientOf(service.url);
    for (const attempt of [client.deleteCluster(name), client.deleteProvider("capvs", name)]) {
      const error = await failureOf(attempt);
      expect(error.code).toBe("INVALID_SETTING");
      expect(error.message).toMatch(/^'name' must be the name of a provider or cluster, got ".*"; nothing was sent$/);
    }
    expect(service.requests).toHaveLength(0);
  });
});

describe("the service's message of a refusal", () => {
  const said = async (body: unknown, redactor?: Redactor) => {
    const error = await failureOf(clientOf((await serve({ status: 422, body })).url, { redactor }).createCluster("capvs", {}));
    return (error as unknown as { serviceMessage: string }).serviceMessage;
  };

  test.each<[unknown, string]>([
    [{ message: "no such provider" }, "no such provider"],
    [{ error: "no such provider" }, "no such provider"],
    [{ error: { code: 7, message: "no such provider" } }, "no such provider"],
    [{ error: true, message: "no such provider" }, "no such provider"],
    [{ detail: "no such provider", title: "Bad" }, "no such provider"],
    [{ status: 422, error: "Unprocessable", message: "", path: "/x" }, "Unprocessable"],
    [{ errors: ["one", "two"] }, "one; two"],
    [{ errors: [{ field: "cluster.podSubnet", message: "must be a CIDR" }] }, "cluster.podSubnet: must be a CIDR"],
    [
      { message: "invalid", errors: { podSubnet: ["must be a CIDR"], name: "taken" } },
      "invalid: podSubnet: must be a CIDR; name: taken",
    ],
    [{ error: { message: "'a' must be b", details: [{ field: "a", message: "must be b" }] } }, "'a' must be b"],
    [[{ path: "a", message: "must be b" }], "a: must be b"],
    ...["msg", "error_description", "description", "title", "reason"].map((key): [unknown, string] => [
      { [key]: " no such provider " },
      "no such provider",
    ]),
    ...["errors", "details", "violations", "causes"].map((key): [unknown, string] => [
      { message: "bad", [key]: [{ name: "a", reason: "must be b" }] },
      "bad: a: must be b",
    ]),
    ["see <b> or {x}", "see <b> or {x}"],
    [
      "<HTML><TITLE>Gone</TITLE>",
      `a proxy or another server answered instead of the service, with an HTML page with the title "Gone"`,
    ],
    ["<html>", "a proxy or another server answered instead of the service, with an HTML page"],
    ["\n<?XML version='1.0'?><a/>", "a proxy or another server answered instead of the service, with an XML document"],
    ["no such provider", "no such provider"],
    ['"no such provider"', "no such provider"],
    [{ code: 17, why: "unknown" }, '{"code":17,"why":"unknown"}'],
    ["", ""],
    ["null", ""],
    ['{"message":"passwd is hunt', "its explanation is broken JSON"],
    [
      "<html><title>Bad Gateway</title>",
      `a proxy or another server answered instead of the service, with an HTML page with the title "Bad Gateway"`,
    ],
    [{ message: "two\r\nlines \u001b[31mred\u001b[0m\u0007 \u202eback" }, "two lines red back"],
    [{ message: "x".repeat(2_000) }, `${"x".repeat(499)}…`],
  ])("%j is shown as %j", async (body, message) => {
    expect(await said(body)).toBe(message);
  });

  test("is shown without secrets, even if it is cut or they are hidden in it", async () => {
    const redactor = new Redactor();
    redactor.add("hunter2-hunter2");
    expect(await said({ message: "wrong password 'hunter2-hunter2'" }, redactor)).toBe("wrong password '[hidden]'");
    expect(await said({ message: "hunter2\u001b[0m-hunter2" }, redactor)).toBe("[hidden]");
    expect(await said({ message: `${"x".repeat(490)}hunter2-hunter2` }, redactor)).not.toContain("hunter2");
    expect(await said("hunter2-hunter2", redactor)).toBe("[hidden]");
    expect(await said("<html><title>No hunter2-hunter2</title>", redactor)).toContain('the title "No [hidden]"');
    expect(await said({ passwd: "unregistered", note: "x" }, redactor)).toBe('{"passwd":"[hidden]","note":"x"}');
  });

  test("is shown without a secret of short lines, even if each line is a common word", async () => {
    const redactor = new Redactor();
    redactor.add("pa\nss\nwo");
    expect(await said({ message: "not pa\nss\nwo!" }, redactor)).toBe("not [hidden]!");
    expect(await said("not pa\nss\nwo!", redactor)).toBe("not [hidden]!");
  });

  test("of an HTML page in place of JSON hides a secret in its title", async () => {
    const redactor = new Redactor();
    redactor.add("hunter2-hunter2");
    const service = await serve({ body: "<html><title>Hello hunter2-hunter2</title>" });
    const error = await failureOf(clientOf(service.url, { redactor }).listClusters());
    expect(error.message).toContain('an HTML page with the title "Hello [hidden]"');
  });

  test("of an HTML page hides a secret even if its title is cut or the secret looks like the end of the title", async () => {
    const page = (secret: string, before: number) => `<html><title>${"x".repeat(before)}${secret}</title></html>`;
    for (const secret of ["hunter2-hunter2", "hunter2<hunter2", "hunter2\u001b[0m-hunter2"]) {
      const redactor = new Redactor();
      redactor.add(secret.replace("\u001b[0m", ""));
      for (const before of [85, 90, 95]) {
        const body = page(secret, before);
        expect(await said(body, redactor)).not.toContain("hunter");
        const service = await serve({ body });
        expect((await failureOf(clientOf(service.url, { redactor }).listClusters())).message).not.toContain("hunter");
      }
    }
  });

  test("has the status, method and path, and what to do about the token", async () => {
    const service = await serve([{ status: 403, body: { message: "not you" } }, { status: 401 }]);
    const client = clientOf(service.url);
    await expect(client.listProviders()).rejects.toThrow(
      "GET /api/v1/platform/providers: 403: not you; the token is valid but lacks the permission: ask for it or use another token",
    );
    await expect(client.listProviders()).rejects.toThrow(/^GET \/api\/v1\/platform\/providers: 401; the token was not accepted/);
  });
});

test("close ends running requests", async () => {
  const service = await serve(() => undefined);
  const client = clientOf(service.url);
  const pending = failureOf(client.createCluster("capvs", {}));
  while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await client.close();
  expect((await pending).ambiguous).toBe(true);
});
