import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { CHUNK_CHARACTERS } from "../../src/contract/hook-protocol";
import { type Simulator, startSimulator } from "../../src/simulator";
import { block, declared, environment, expectRefusal, packed, runHook, SECRET, settings, snapshot, TOKEN } from "./hook";

let simulator: Simulator;
let folder: string;
beforeAll(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, token: TOKEN });
  folder = mkdtempSync(join(tmpdir(), "bad-environment-"));
  const files = {
    two: `${TOKEN}\r\nmore`,
    huge: TOKEN,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  truncateSync(join(folder, "huge"), 20 * 1024 * 1024);
  execFileSync("mkfifo", [join(folder, "pipe")]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await simulator.close();
});

type Case = [what: string, command: string | undefined, env: () => NodeJS.ProcessEnv, code: string, parts: string[], exit?: 1];
const at = (name: string) => join(folder, name);

const PREFIX = "CLUSTER_PLATFORM_HOOK_";
const set =
  (name: string, value: string | undefined): Case[2] =>
  () => ({ [`${PREFIX}${name}`]: value });

const missing = (name: string, command: string): Case => [
  `a ${command} without ${name}`,
  command,
  set(name, undefined),
  "INVALID_SETTING",
  [`${PREFIX}${name} is not set`, "run by Terraform as a hook of a synthesized stack, not by hand; use terraform apply"],
];
const damaged = (name: string, command: string, how: string, value: string): Case => [
  `a ${command} whose ${name} ${how}`,
  command,
  set(name, value),
  "INVALID_SETTING",
  [`environment: '${PREFIX}${name}' must reach the hook`, "is damaged; nothing was sent", "Synthesize again and apply"],
];
/** An entry of this size in the four variables of an entry with tokens, as Terraform's substr() fills them. */
const inFour = (characters: number) => {
  const text = packed({ path: "x", triggers: {}, spec: { note: SECRET + randomBytes(characters).toString("base64") } });
  const pieces = [0, 1, 2, 3].map((index) => text.slice(index * CHUNK_CHARACTERS, (index + 1) * CHUNK_CHARACTERS));
  return Object.fromEntries(pieces.map((piece, index) => [`${PREFIX}ENTRY_${index}`, piece]));
};
const withoutUrl = { [`${PREFIX}SETTINGS`]: settings(undefined) };
const url = (value: string | undefined, code: string, parts: string[], exit?: 1): Case => [
  `the URL ${value ?? "that is missing"}`,
  "create",
  () => ({ ...withoutUrl, CLUSTER_PLATFORM_URL: value }),
  code,
  parts,
  exit,
];
const token = (what: string, env: () => NodeJS.ProcessEnv, code: string, parts: string[], exit?: 1): Case => [
  `a token ${what}`,
  "create",
  () => ({ CLUSTER_PLATFORM_TOKEN: undefined, ...env() }),
  code,
  parts,
  exit,
];
const TOKEN_SOURCES = [
  "set one of CLUSTER_PLATFORM_TOKEN (the token itself), CLUSTER_PLATFORM_TOKEN_FILE",
  "CLUSTER_PLATFORM_TOKEN_COMMAND (a command that prints it) where Terraform runs",
];
const file = (name: string) => () => ({ CLUSTER_PLATFORM_TOKEN_FILE: at(name) });
const command = (text: string) => () => ({ CLUSTER_PLATFORM_TOKEN_COMMAND: text });
const rule = (name: string, must: string, ...got: string[]): [code: string, parts: string[]] => [
  "INVALID_SETTING",
  [`environment: 'CLUSTER_PLATFORM_${name}' must ${must}`, ...got],
];
const PRINTS = "be a command that prints a token and ends with 0, but it ";
const missingToken = ([, parts]: [string, string[]]): [string, string[]] => ["MISSING_TOKEN", parts];
const ABSOLUTE = [
  "environment: 'CLUSTER_PLATFORM_URL' must be an absolute http or https URL, as in https://platform.example.com",
];

const cases: Case[] = [
  [
    "no command at all",
    undefined,
    () => ({}),
    "INVALID_SETTING",
    ["unknown hook '': the commands are create, delete", "use terraform apply"],
  ],
  [
    "an unknown command",
    "destroy",
    () => ({}),
    "INVALID_SETTING",
    ["unknown hook 'destroy': the commands are create, delete", "use terraform apply"],
  ],
  [
    "the name of an inherited property as the command",
    "toString",
    () => ({}),
    "INVALID_SETTING",
    ["unknown hook 'toString': the commands are create, delete", "use terraform apply"],
  ],

  missing("SETTINGS", "create"),
  missing("BLOCK", "create"),
  missing("NAME", "delete"),
  missing("KEY", "delete"),
  missing("ENTRY_0", "create"),
  missing("PROVIDER", "delete"),
  missing("EXPECTED_0", "wait"),
  missing("UID", "delete"),
  missing("BEFORE_0", "deletion-guard"),
  missing("BEFORE_0", "orphan-check"),

  damaged("SETTINGS", "create", "is not JSON", `{"token":"${SECRET}`),
  damaged("SETTINGS", "create", "is null", "null"),
  damaged("SETTINGS", "create", "is empty JSON", "{}"),
  damaged("SETTINGS", "deletion-guard", "has text for a list", settings("http://127.0.0.1", { retain: "prod" as never })),
  damaged("SETTINGS", "wait", "has text for seconds", settings("http://127.0.0.1", { readySeconds: "60" as never })),
  damaged("BLOCK", "create", "is not JSON", "capvs"),
  damaged("BLOCK", "create", "has an unknown type", block("clusters", "vsphere")),
  damaged("BLOCK", "delete", "has an unknown kind", block("cluster")),
  damaged("NAME", "delete", "is empty", ""),
  damaged("NAME", "delete", "leads out of its path", "../../platform/providers"),
  damaged("NAME", "delete", "is two points", ".."),
  damaged("NAME", "delete", "breaks lines", "prod\r\nX-Evil: 1"),
  damaged("NAME", "delete", "is percent-encoded", "..%2fprod"),
  damaged("NAME", "delete", "has 300 characters", "p".repeat(300)),
  damaged("NAME", "create", "looks like another", "рrod"),
  damaged("PROVIDER", "delete", "is a path", "a/b"),
  damaged("DECLARED_0", "delete", "has text for a list", packed({ ...declared(), retained: "prod" })),
  damaged("DECLARED_0", "delete", "lacks what creates need", packed({ ...declared(), needs: undefined })),
  damaged("AFTER_0", "deletion-guard", "has text for what creates need", packed({ objects: {}, needs: "all" })),
  damaged(
    "DECLARED_0",
    "delete",
    "inflates to more than 64 MiB",
    gzipSync(JSON.stringify(declared()).padEnd(65 * 2 ** 20)).toString("base64"),
  ),
  damaged("ENTRY_0", "create", "is not base64", "!!!"),
  damaged("ENTRY_0", "create", "is base64 of something else", Buffer.from(SECRET).toString("base64")),
  damaged("ENTRY_0", "create", "is cut off", packed({ path: "x", spec: { secret: SECRET } }).slice(0, 40)),
  damaged("ENTRY_0", "create", "is not JSON inside", gzipSync(SECRET).toString("base64")),
  damaged("ENTRY_0", "create", "is null inside", packed(null)),
  damaged("ENTRY_0", "create", "has no declaration", packed({ path: "x", triggers: {} })),
  [
    "a create whose entry is too large",
    "create",
    () => inFour(120 * 1024),
    "INVALID_SETTING",
    [
      "larger than the 120 KiB that reach its hook (compressed, in base64), because of the value of a token",
      "nothing was sent to create the object. Make that value smaller, or write it as a literal",
    ],
  ],
  [
    "a create whose large entry lost its end, although there is room",
    "create",
    () => ({ ...inFour(80 * 1024), [`${PREFIX}ENTRY_2`]: "" }),
    "INVALID_SETTING",
    [`environment: '${PREFIX}ENTRY_0' must reach the hook`, "is damaged; nothing was sent"],
  ],
  damaged("EXPECTED_0", "wait", "is no list", packed({})),
  damaged("EXPECTED_0", "wait", "has a hole", packed([null])),
  damaged("BEFORE_0", "deletion-guard", "is text", packed("capvs/clusters/prod")),
  damaged("BEFORE_0", "orphan-check", "holds names, not ids", snapshot("prod")),
  damaged("BEFORE_0", "orphan-check", "inflates to more than anything of ours", packed("a".repeat(65 * 2 ** 20))),
  damaged("BEFORE_0", "orphan-check", "is a list", packed(["capvs/clusters/prod"])),
  damaged("AFTER_0", "deletion-guard", "is cut off", snapshot("capvs/clusters/prod").slice(0, -9)),

  url(undefined, "MISSING_URL", ["the URL of the service is not known", "set CLUSTER_PLATFORM_URL where Terraform runs"]),
  url("ftp://platform.example.com", "INVALID_URL", [...ABSOLUTE, 'got "ftp://platform.example.com"']),
  url("http://platform.example.com", "INSECURE_URL", [
    "http://platform.example.com would receive the token unencrypted",
    "use its https URL",
    "CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP=1 or, in a stack, allowPlainHttp on Platform",
  ]),
  url(
    "http://127.0.0.1:1",
    "DEADLINE_EXCEEDED",
    ["GET /api/v1/clusters: ", "nothing listens at http://127.0.0.1:1", "Apply again when the service answers"],
    1,
  ),
  url(
    "https://nowhere.invalid",
    "DEADLINE_EXCEEDED",
    ["GET /api/v1/clusters: ", "the name of the host is not known", "nowhere.invalid", "Apply again when the service answers"],
    1,
  ),

  token("that is missing", () => ({}), "MISSING_TOKEN", ["no token for the service", ...TOKEN_SOURCES]),
  token(
    "that is not the right one",
    () => ({ CLUSTER_PLATFORM_TOKEN: "wrong" }),
    "UNAUTHORIZED",
    ["GET /api/v1/clusters: 401", "the token was not accepted: renew it"],
    1,
  ),
  token("from two places", () => ({ ...file("two")(), CLUSTER_PLATFORM_TOKEN: TOKEN }), "INVALID_SETTING", [
    "environment: CLUSTER_PLATFORM_TOKEN and CLUSTER_PLATFORM_TOKEN_FILE are set together",
    "unset all but one",
  ]),
  token(
    "in a folder",
    file("."),
    ...missingToken(rule("TOKEN_FILE", "name a readable file, but ", "/bad-environment-", "is a folder")),
  ),
  token(
    "in a pipe that nobody writes to",
    file("pipe"),
    ...missingToken(rule("TOKEN_FILE", "name a readable file, but ", "/pipe is not a regular file")),
  ),
  token(
    "in a device that never ends",
    () => ({ CLUSTER_PLATFORM_TOKEN_FILE: "/dev/zero" }),
    ...missingToken(rule("TOKEN_FILE", "name a readable file, but ", "/dev/zero is not a regular file")),
  ),
  token(
    "in a file that is far too large",
    file("huge"),
    ...missingToken(rule("TOKEN_FILE", "name a readable file, but ", "/huge is larger than 1 MiB")),
  ),
  token(
    "by a command that fails, and quotes the token",
    command(`echo ${TOKEN}; echo refused: ${TOKEN} >&2; exit 1`),
    ...missingToken(rule("TOKEN_COMMAND", `${PRINTS}failed with exit code 1: refused: [hidden]`)),
  ),
  token(
    "by a command that hangs",
    command("sleep 60"),
    "DEADLINE_EXCEEDED",
    ["not sent: its time was over after", "seconds, waiting for CLUSTER_PLATFORM_TOKEN_COMMAND to print the token"],
    1,
  ),

  [
    "an unknown log level",
    "create",
    () => ({ CLUSTER_PLATFORM_LOG: "trace" }),
    "INVALID_SETTING",
    ["environment: 'CLUSTER_PLATFORM_LOG' must be debug, got \"trace\""],
  ],
  ...[
    ["a pipe", "pipe", "is not a regular file"],
    ["a file that is far too large", "huge", "is larger than 16 MiB"],
  ].map(([what, name, problem]): Case => [
    `authorities in ${what}`,
    "create",
    () => ({ CLUSTER_PLATFORM_CA_FILE: at(name!) }),
    "INVALID_SETTING",
    ["environment: 'CLUSTER_PLATFORM_CA_FILE' must name a readable PEM file of certificates", `/${name} ${problem}`],
  ]),
  [
    "an unclear switch of plain HTTP",
    "delete",
    () => ({ CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP: "on" }),
    "INVALID_SETTING",
    ["environment: 'CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP' must be 1 or 0, got \"on\""],
  ],
  ...["prod", "capvs/cluster/prod", "capvs/clusters/a;capvs/clusters/b", "capvs/clusters/*"].map((ids): Case => [
    `${ids} as what to adopt`,
    "create",
    () => ({ CLUSTER_PLATFORM_ADOPT: ids }),
    "INVALID_SETTING",
    [
      "environment: 'CLUSTER_PLATFORM_ADOPT' must be ids of objects such as capvs/clusters/prod, separated by commas",
      `got "${ids}"; nothing was sent`,
    ],
  ]),
];

// The rest parameter keeps jest from taking a sixth parameter for a callback.
test.each(cases)("the hook refuses %s", async (_, hook, env, code, parts, ...[exit]) => {
  const result = await runHook(hook, { ...environment(simulator.url), ...env() });
  expectRefusal(result, exit ?? 2, code, parts);
});

afterEach(() => {
  expect(simulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(simulator.events).toEqual([]);
});
