import { Fn, TerraformVariable, Token, type TerraformStack } from "cdktf";
import { Platform } from "../../src";
import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { declare } from "../support/declare";
import { synthError, synthesize } from "../support/synth";

const variable = (stack: TerraformStack) => new TerraformVariable(stack, "given", { type: "any", sensitive: true });

const providerWith = (type: TypeCode, props: (token: TerraformVariable) => JsonObject) => (stack: TerraformStack) => {
  new Platform(stack, "platform");
  declare(stack, type, "provider", { ...goldens[type].provider.minimal.declaration, ...props(variable(stack)) });
};

const BARE =
  "must be a Secret, got a bare token, whose value Terraform would keep in plans and in its state; use Secret.fromToken(…)";
const OBJECT =
  "must be written out because it holds a secret, got a token, whose value Terraform would keep in plans and in its state; " +
  "use Secret.fromToken(…) for the secret in it";
const secret = (token: TerraformVariable) => ({ $secret: { value: token.stringValue } });
const host = { address: "10.0.0.1" };
const bodyOverrides = (overrides: JsonObject) => ({ bodyOverrides: overrides });

test.each<[string, TypeCode, (token: TerraformVariable) => JsonObject, string]>([
  ["a secret", "capvs", (token) => ({ password: token.stringValue }), `'password' ${BARE}`],
  ["a secret with text around it", "capvs", (token) => ({ password: `a-${token.stringValue}` }), `'password' ${BARE}`],
  [
    "a function of Terraform",
    "capyc",
    (token) => ({ serviceAccountKey: Fn.file(token.stringValue) }),
    `'serviceAccountKey' ${BARE}`,
  ],
  ["an optional secret", "capcd", (token) => ({ refreshToken: token.stringValue }), `'refreshToken' ${BARE}`],
  [
    "a secret in a list",
    "capsmv2",
    (token) => ({ hosts: [{ ...host, ssh: { username: "root", privateKey: token.stringValue } }] }),
    `'hosts[0].ssh.privateKey' ${BARE}`,
  ],
  ["an object that holds one", "capsmv2", (token) => ({ hosts: [{ ...host, ssh: token.value }] }), `'hosts[0].ssh' ${OBJECT}`],
  ["an item that holds one", "capsmv2", (token) => ({ hosts: [token.value] }), `'hosts[0]' ${OBJECT}`],
  [
    "an override with the key of a secret",
    "capos",
    (token) => bodyOverrides({ cloudconfig: { config: { auth: { password: token.stringValue } } } }),
    `'bodyOverrides.cloudconfig.config.auth.password' ${BARE}`,
  ],
  [
    "an override of the interface's field",
    "capyc",
    (token) => bodyOverrides({ connectInfo: { key: token.stringValue } }),
    `'bodyOverrides.connectInfo.key' ${BARE}`,
  ],
  [
    "an override below such a key",
    "capvs",
    (token) => bodyOverrides({ credentials: [{ any: token.value }] }),
    `'bodyOverrides.credentials[0].any' ${BARE}`,
  ],
])("a token for %s is refused at construction", (_, type, props, message) => {
  const error = synthError(providerWith(type, props));
  const path = `stack/${type}-provider-${String(goldens[type].provider.minimal.declaration.name)}`;
  expect(error.message).toContain(`[${path}] ${message} (test/support/declare.ts:`);
});

test.each<[string, TypeCode, (token: TerraformVariable) => JsonObject]>([
  ["user names", "capvs", (token) => ({ username: token.stringValue })],
  ["ids of applications", "capbd", (token) => ({ appId: token.stringValue })],
  ["user names of hosts", "capsmv2", (token) => ({ sshUsername: token.stringValue, hosts: [{ ...host, labels: token.value }] })],
  ["user names in overrides", "capvs", (token) => bodyOverrides({ connectInfo: { user: token.stringValue } })],
  ["numbers in overrides", "capvs", (token) => bodyOverrides({ tokenSeconds: Token.asNumber(token.value) })],
  ["secrets", "capvs", (token) => ({ password: secret(token) })],
  ["secrets in overrides", "capvs", (token) => bodyOverrides({ password: secret(token) })],
])("tokens are accepted for %s", (_, type, props) => {
  expect(() => synthesize(providerWith(type, props))).not.toThrow();
});
