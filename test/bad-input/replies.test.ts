import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { skippingClock } from "../support/skipping-clock";
import { environment, expectRefusal, ofProvider, runHook, SECRET } from "./hook";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let answer: Answer;
let requests: string[];
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.method!);
    request.resume();
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => (requests = []));

const reply =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
const then =
  (items: unknown[], write: Answer): Answer =>
  (request, response) =>
    (request.method === "GET" ? reply({ items, count: items.length }) : write)(request, response);

const prod = { id: "prod", clusterName: "prod", providerType: "capvs", providerConfigID: "vsphere", phase: "Provisioned" };
const list = (...items: unknown[]) => ({ items, count: items.length });
const URL_ADVICE = "Check that the URL is that of the service";

type Case = [what: string, answer: Answer, code: string, ...parts: string[]];

/** Lists of clusters that prove nothing. No hook may act on them. */
const lists: Case[] = [
  ["nothing", reply(""), "CONTRACT", "is empty, where JSON was expected"],
  ["fewer items than are counted", reply({ items: [prod], count: 2 }), "CONTRACT", "must be the number of items, 1, got 2"],
  [
    "one name for two clusters",
    reply(list(prod, { ...prod, providerType: "capov" })),
    "CONTRACT",
    "got prod twice: a capvs cluster on vsphere and a capov cluster",
  ],
  ["10 MB of garbage", reply("x".repeat(10_000_000)), "CONTRACT", "is not JSON, or not all of it arrived (10000000 characters)"],
  ["10 MB of JSON that ends nowhere", reply(`[${"1,".repeat(5_000_000)}`), "CONTRACT", "is not JSON, or not all of it arrived"],
  ["lists in lists without end", reply("[".repeat(100_000) + "]".repeat(100_000)), "CONTRACT", "must be an object, got a list"],
  [
    "an answer with unrequested compression",
    reply(gzipSync('{"items":[],"count":0}'), 200, { "content-encoding": "gzip" }),
    "CONTRACT",
    "is not JSON",
  ],
  [
    "a page to sign in",
    reply("<html><title>Sign in</title>", 200, { "content-type": "text/html" }),
    "CONTRACT",
    'an HTML page with the title "Sign in"',
  ],
  ["a page of a 404", reply("<html><title>Gone</title>", 404), "NOT_FOUND", "404", "Check that the URL is that of the service"],
  [
    "another page",
    reply("", 302, { location: "https://login.test/?session=1" }),
    "REDIRECTED",
    "redirects to https://login.test",
    "the token is not sent there",
    "set the URL to that of the service itself",
  ],
  ["a 304", reply("", 304), "REDIRECTED", "the service does not answer with this status", "not of a proxy or a cache"],
  ["a 418", reply({ hint: "tea" }, 418), "REJECTED", '418: {"hint":"tea"}', "correct what it names and apply again"],
  [
    "a 403",
    reply({ message: "not you" }, 403),
    "FORBIDDEN",
    "403: not you",
    "lacks the permission: ask for it or use another token",
  ],
  [
    "errors without end",
    reply({ message: "boom" }, 500),
    "DEADLINE_EXCEEDED",
    "the last failure: 500: boom",
    "Apply again when the service answers",
  ],
  [
    "a 429 with a long Retry-After",
    reply({}, 429, { "retry-after": "100" }),
    "RATE_LIMITED",
    "it asks to wait 60 seconds",
    "Apply again later",
  ],
  [
    "half, then silence",
    (_, response) => void response.writeHead(200).write('{"items":['),
    "DEADLINE_EXCEEDED",
    "but did not finish within 2.5 seconds",
    "Apply again when the service answers",
  ],
  [
    "half, then nothing",
    (_, response) => void response.writeHead(200, { "content-length": 99 }).write("{", () => response.destroy()),
    "DEADLINE_EXCEEDED",
    "broke while it answered",
    "Apply again when the service answers",
  ],
];

test.each(lists)("a create that is answered with %s sends nothing", async (_, given, code, ...parts) => {
  answer = given;
  expectRefusal(await run("create"), 1, code, ["GET /api/v1/clusters: ", ...parts, ...(code === "CONTRACT" ? [URL_ADVICE] : [])]);
  expect(new Set(requests)).toEqual(new Set(["GET"]));
});

test.each(lists.filter(([, , code]) => code === "CONTRACT"))(
  "a delete that is answered with %s sends nothing",
  async (_, given, code, ...parts) => {
    answer = given;
    expectRefusal(await run("delete"), 1, code, ["GET /api/v1/clusters: the reply", ...parts, URL_ADVICE]);
    expect(new Set(requests)).toEqual(new Set(["GET"]));
  },
);

test("a registration after a list of providers that proves nothing sends nothing", async () => {
  answer = reply([{ providerType: "capvs", configs: [{}] }]);
  const env = { ...ofHook(), ...ofProvider };
  const parts = ["GET /api/v1/platform/providers: the reply", "'[0].configs[0].name' must be a name", URL_ADVICE];
  expectRefusal(await run("create", env), 1, "CONTRACT", parts);
  expect(new Set(requests)).toEqual(new Set(["GET"]));
});

test.each<Case>([
  ["a refusal in words", reply("no such thing", 400), "REJECTED", "400: no such thing"],
  ["a refusal without words", reply("", 400), "REJECTED", "400"],
  ["a refusal that repeats a secret", reply({ message: `bad ${SECRET}` }, 400), "REJECTED", "400: bad [hidden]"],
  [
    "a refusal that draws on the terminal",
    reply({ message: "\u001b[31mred\r\nX: y \u202eevil" }, 400),
    "REJECTED",
    "400: red X: y evil",
  ],
  ["a refusal of a thousand levels", reply('{"x":'.repeat(9_999) + "1" + "}".repeat(9_999), 400), "REJECTED", "400"],
])("a creation that is answered with %s is reported and not repeated", async (_, given, code, ...parts) => {
  answer = then([], given);
  const where = "POST /api/v1/platform/providers/clusters/capvs: ";
  const advice = "The service refused the request: correct what it names and apply again";
  expectRefusal(await run("create"), 1, code, [where, ...parts, advice]);
  expect(writes()).toEqual(["POST"]);
});

test("a byte order mark before a list is accepted", async () => {
  answer = reply(`\ufeff${JSON.stringify(list())}`);
  const env = { ...ofHook(), CLUSTER_PLATFORM_ACCEPT_GONE: "capvs/clusters/prod" };
  expect(await run("delete", env)).toMatchObject({ status: 0 });
});

function writes(): string[] {
  return requests.filter((method) => method !== "GET");
}

function run(command: string, env = ofHook()) {
  return runHook(command, env, { clock: skippingClock() });
}

function ofHook(): NodeJS.ProcessEnv {
  return environment(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
