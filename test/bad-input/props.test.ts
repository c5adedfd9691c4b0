import { TerraformVariable, type TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Platform, Secret, Services } from "../../src";
import { cluster, provider, size } from "../support/capvs";
import { synthError } from "../support/synth";

/** The parts of the expected message: where, what, and the way out. */
type Case = [what: string, declare: (stack: TerraformStack) => unknown, parts: string[]];
const withPlatform = (make: (stack: TerraformStack) => unknown) => (stack: TerraformStack) => {
  new Platform(stack, "platform");
  return make(stack);
};
const onCluster = (what: string, props: object, ...parts: string[]): Case => [
  what,
  withPlatform((stack) => cluster(stack, "prod", provider(stack), { id: "bad", ...props } as never)),
  ["[stack/bad] ", ...parts],
];
const onProvider = (what: string, props: object, ...parts: string[]): Case => [
  what,
  withPlatform((stack) => provider(stack, "vsphere", { id: "bad", ...props } as never)),
  ["[stack/bad] ", ...parts],
];
const onPlatform = (what: string, props: unknown, ...parts: string[]): Case => [
  what,
  (stack) => new Platform(stack, "platform", props as never),
  ["[stack/platform] ", ...parts],
];
const onSecret = (what: string, make: (stack: TerraformStack) => Secret, problem: string, ...parts: string[]): Case => [
  what,
  withPlatform((stack) => {
    const secret = make(stack);
    return provider(stack, "vsphere", { id: "bad", password: secret, bodyOverrides: { key: [secret] } });
  }),
  [`[stack/bad] 'password': ${problem}`, `'bodyOverrides.key[0]': ${problem}`, ...parts],
];
const override = (what: string, value: unknown, got: string, path = "field"): Case =>
  onProvider(
    `an override with ${what}`,
    { bodyOverrides: { field: value } },
    `'bodyOverrides.${path}' must be a JSON value (text, a number, true, false, null, a list or a plain object), a Secret or a token`,
    got,
  );

const endless: Record<string, unknown> = {};
endless.self = endless;
const deep = Array.from({ length: 1000 }).reduce<object>((field) => ({ field }), {});
const NAME = "'name' must be 1 to 253 ASCII letters, digits, '.', '_' or '-', beginning and ending with a letter or digit";

const cases: Case[] = [
  ...[
    ["an empty one", "", 'got ""'],
    ["a relative path", "../providers", 'got "../providers"'],
    ["two points", "..", 'got ".."'],
    ["a slash", "prod/eu", 'got "prod/eu"'],
    ["an encoded slash", "prod%2feu", 'got "prod%2feu"'],
    ["a line break and a header", "prod\r\nX-Evil: 1", 'got "prod\\r\\nX-Evil: 1"'],
    ["a character without width", "pr\u200bod", 'got "pr\\u{200b}od"'],
    ["a letter that looks like another", "рrod", 'got "\\u{440}rod"'],
    ["letters from right to left", "\u202eprod", 'got "\\u{202e}prod"'],
    ["300 characters", "p".repeat(300), `got "${"p".repeat(118)}…`],
    ["a template of Terraform", "${var.x}", 'got "${var.x}"'],
    ["the name of an inherited property", "__proto__", 'got "__proto__"'],
    ["a number", 7, "got 7"],
    ["nothing", null, "got null"],
  ].map(([what, name, got]): Case => [
    `a name: ${String(what)}`,
    withPlatform((stack) => provider(stack, name as string, { id: "bad" })),
    ["[stack/bad] ", NAME, got as string],
  ]),

  [
    "a cluster without props",
    withPlatform((stack) => new CapvsCluster(stack, "bad", undefined as never)),
    [
      "[stack/bad] ",
      `${NAME}, but is missing`,
      "'provider' must be the construct of a provider, or a provider by fromName(name), but is missing",
    ],
  ],
  [
    "a provider without props",
    withPlatform((stack) => new CapvsProvider(stack, "bad", null as never)),
    ["[stack/bad] ", `${NAME}, but is missing`, "'server' must be host:port, without a scheme", "'password' must be a Secret"],
  ],
  onCluster(
    "text for a provider",
    { provider: "vsphere" },
    "'provider' must be the construct of a provider, or a provider by fromName(name)",
    'got "vsphere"',
  ),
  onCluster(
    "no provider",
    { provider: null },
    "'provider' must be the construct of a provider, or a provider by fromName(name)",
    "but is missing",
  ),
  onCluster(
    "a provider with a bad name",
    { provider: CapvsProvider.fromName("../x") },
    "'provider' must be 1 to 253",
    'got "../x"',
  ),
  onCluster("text for a switch", { waitForReady: "no" }, "'waitForReady' must be true or false, got \"no\""),
  onCluster(
    "a big number",
    { controlPlane: { ...size, count: 3n } },
    "'controlPlane.count' must be a JSON value",
    "got a bigint",
  ),
  onCluster(
    "more nodes than numbers can count",
    { controlPlane: { ...size, count: 2 ** 53 } },
    "'controlPlane.count' must be a whole number of nodes, at least 1, got 9007199254740992",
  ),
  onCluster(
    "a value that is not a number",
    { controlPlane: { ...size, count: NaN } },
    "'controlPlane.count' must be a whole number of nodes, at least 1, got NaN",
  ),
  onCluster(
    "a prop of another type",
    { controlPlane: { ...size, count: 1, flavor: "m1" } },
    "'controlPlane.flavor' is not a prop here",
  ),
  onCluster(
    "a service of another prefix",
    { services: Services.only("vip" as never) },
    "'services.enabled[0]' must be the name of a platform service, which begins with product-, got \"vip\"",
  ),
  onCluster(
    "another name by overrides",
    { bodyOverrides: { cluster: { clusterName: "x" } } },
    "'bodyOverrides.cluster.clusterName' must be the name \"prod\", by which Terraform knows the object, got \"x\"; use the prop 'name'",
  ),
  onCluster(
    "another provider by overrides",
    { bodyOverrides: { provider: { identityName: "x" } } },
    "'bodyOverrides.provider.identityName' must be the provider \"vsphere\"",
    "got \"x\"; use the prop 'provider'",
  ),
  onCluster(
    "no cluster by overrides",
    { bodyOverrides: { cluster: null } },
    "'bodyOverrides.cluster' must be an object, got null",
  ),
  onCluster(
    "two lists of services",
    { bodyOverrides: { cluster: { disabledServices: [] } } },
    "'bodyOverrides' must not add a second list of services",
    "use 'services'",
  ),

  onProvider(
    "another name by overrides",
    { bodyOverrides: { identityName: "x" } },
    "'bodyOverrides.identityName' must be the name \"vsphere\"",
    "got \"x\"; use the prop 'name'",
  ),
  override("a function", () => 1, "got a function"),
  override("a symbol", Symbol("x"), "got a symbol"),
  override("a big number", 1n, "got a bigint"),
  override("a value that is not a number", [NaN], "got NaN", "field[0]"),
  override("a date", new Date(0), "got a Date"),
  override("a map", new Map(), "got a Map"),
  override("a hole in a list", [undefined], "got undefined", "field[0]"),
  override("an object that holds itself", endless, "got an object that holds itself", "field.self"),
  onProvider("overrides with too many levels", { bodyOverrides: deep }, "'bodyOverrides' must have at most 100 levels"),
  override("a reference to a secret by hand", { $secret: { env: "PATH" } }, "got an object with the key $secret"),
  [
    "a Platform that is none",
    withPlatform((stack) => provider(stack, "vsphere", { id: "bad", platform: {} } as never)),
    ["[stack/bad] 'platform' must be a Platform, got {}"],
  ],
  onProvider("text for adopt", { adopt: "yes" }, "'adopt' must be true or false, got \"yes\""),
  onProvider("a line separator", { datastore: "a\u2028b" }, "'datastore' must not hold control characters", '"a\\u{2028}b"'),
  onProvider(
    "a command of a terminal",
    { datastore: "a\u009b31mb" },
    "'datastore' must not hold control characters",
    '"a\\u{9b}31mb"',
  ),
  onProvider("half a character", { datastore: "\ud800" }, "'datastore' must not hold half of a character", 'got "\\ud800"'),
  onProvider("a Secret where text belongs", { datastore: Secret.fromEnv("X") }, "'datastore' must be a string, got a Secret"),
  onProvider("a misspelled prop", { passwrd: 1 }, "'passwrd' is not a prop here"),

  onSecret(
    "an invalid variable name",
    () => Secret.fromEnv("A-B"),
    "Secret.fromEnv: 'name' must be the name of an environment variable",
    'as in Secret.fromEnv("VSPHERE_PASSWORD"), got something else',
  ),
  onSecret(
    "the value of a variable for its name",
    () => Secret.fromEnv("hunter2!"),
    "Secret.fromEnv: 'name' must be the name of an environment variable",
    "got something else",
  ),
  onSecret("an empty path of a secret", () => Secret.fromFile(""), "Secret.fromFile: 'path' must be a path", 'got ""'),
  onSecret("a path with a zero byte", () => Secret.fromFile("a\0b"), "Secret.fromFile: 'path' must be a path", 'got "a\\u0000b"'),
  onSecret(
    "a literal for a token",
    () => Secret.fromToken("hunter2"),
    "Secret.fromToken: 'value' must be a token, such as variable.stringValue",
    "use Secret.fromEnv or Secret.fromFile",
  ),
  onSecret(
    "an empty plain text",
    () => Secret.unsafePlainText(""),
    "Secret.unsafePlainText: 'value' must be text that is not empty",
  ),
  onSecret(
    "a token for plain text",
    (stack) => Secret.unsafePlainText(new TerraformVariable(stack, "v", {}).stringValue),
    "Secret.unsafePlainText: 'value' must be text",
    "for a token use Secret.fromToken",
  ),

  onPlatform(
    "a value that holds itself",
    { retain: [endless], url: endless },
    "'retain[0]' must be an exact name",
    "'url' must be a string, got an object that holds itself",
  ),
  onPlatform("no props", null, "the props must be an object, got null"),
  onPlatform(
    "an interval that is too long for a timer",
    { pollSeconds: 1e9 },
    "'pollSeconds' must be a number of seconds from 0.1 to 3600, got 1000000000",
  ),
  onPlatform(
    "an endless timeout",
    { timeouts: { createSeconds: Infinity } },
    "'timeouts.createSeconds' must be a number of seconds from 1 to 604800, got Infinity",
  ),
  onPlatform(
    "a protected id of no kind",
    { deletionProtection: ["capvs/cluster/prod"] },
    "'deletionProtection[0]' must be a name or type/kind/name, as in capvs/clusters/prod",
    'got "capvs/cluster/prod"',
  ),
  onPlatform(
    "an allowed pattern",
    { allowDeletion: ["prod-*"] },
    "'allowDeletion[0]' must be an exact name",
    "without '*', got \"prod-*\"",
  ),
  onPlatform(
    "a retained id of no type",
    { retain: ["vsphere/clusters/prod"] },
    "'retain[0]' must be an exact name or type/kind/name",
    'got "vsphere/clusters/prod"',
  ),
  onPlatform(
    "a retained name that looks like another",
    { retain: ["рrod"] },
    "'retain[0]' must be an exact name",
    'got "\\u{440}rod"',
  ),
  onPlatform(
    "a protected name that looks like another",
    { deletionProtection: ["рrod"] },
    "'deletionProtection[0]' must be a name",
    'got "\\u{440}rod"',
  ),
  onPlatform("text for a list", { retain: "prod" }, "'retain' must be a list of names, got \"prod\""),
  onPlatform("an authority by another prop", { tls: { ca: "x" } }, "'tls.ca' is not a prop here"),
];

test.each(cases)("synth refuses %s", (_, make, parts) => {
  const error = synthError((stack) => void make(stack));
  for (const part of parts) expect(error.message).toContain(part);
  expect(error.message).not.toContain("hunter2");
});
