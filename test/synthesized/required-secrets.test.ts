import { TerraformVariable } from "cdktf";
import { requiredSecrets } from "../../src/synthesized/required-secrets";
import { Platform } from "../../src/constructs/platform";
import { Secret } from "../../src/constructs/secret";
import { provider } from "../support/capvs";
import { idOf } from "../../src/model/object-ref";
import { synthesize } from "../support/synth";

const shown = (synthesized: unknown) => requiredSecrets(synthesized).map(({ of, ...secret }) => ({ ...secret, of: idOf(of) }));

test("required secrets are the variables and files of all Platforms of a stack, by construct and field", () => {
  const synthesized = synthesize((stack) => {
    new Platform(stack, "platform");
    const eu = new Platform(stack, "eu", { name: "eu", url: "https://eu.example.com" });
    provider(stack, "vsphere", { platform: eu, password: Secret.fromFile("~/.vsphere ${eu}/%{password}") });
    provider(eu, "other", { id: "a", bodyOverrides: { connectInfo: { otp: [Secret.fromEnv("OTP")] } } });
  });
  expect(shown(synthesized)).toEqual([
    { path: "stack/eu/a", prop: "bodyOverrides.connectInfo.otp[0]", kind: "env", name: "OTP", of: "capvs/providers/other" },
    { path: "stack/eu/a", prop: "password", kind: "env", name: "VSPHERE_PASSWORD", of: "capvs/providers/other" },
    { path: "stack/eu/a", prop: "username", kind: "env", name: "VSPHERE_USERNAME", of: "capvs/providers/other" },
    {
      path: "stack/provider-vsphere",
      prop: "password",
      kind: "file",
      name: "~/.vsphere ${eu}/%{password}",
      of: "capvs/providers/vsphere",
    },
    {
      path: "stack/provider-vsphere",
      prop: "username",
      kind: "env",
      name: "VSPHERE_USERNAME",
      of: "capvs/providers/vsphere",
    },
  ]);
});

test("required secrets name the prop if the hook builds the request, and leave out tokens", () => {
  const synthesized = synthesize((stack) => {
    new Platform(stack, "platform");
    const password = new TerraformVariable(stack, "password", { type: "string", sensitive: true });
    provider(stack, "vsphere", { password: Secret.fromToken(password.stringValue) });
    provider(stack, "text", { username: Secret.fromFile("/cafe\u0301"), password: Secret.unsafePlainText("plain") });
  });
  expect(shown(synthesized)).toEqual([
    { path: "stack/provider-text", prop: "username", kind: "file", name: "/cafe\u0301", of: "capvs/providers/text" },
    { path: "stack/provider-vsphere", prop: "username", kind: "env", name: "VSPHERE_USERNAME", of: "capvs/providers/vsphere" },
  ]);
});

const declared = (path: string, env: string) => ({ path, spec: { secret: { $secret: { env } } } });

test("required secrets are sorted by construct, for any type", () => {
  const locals = { capvs_providers: { a: declared("stack/z", "Z") }, capov_providers: { a: declared("stack/a", "A") } };
  expect(requiredSecrets({ locals }).map(({ name }) => name)).toEqual(["A", "Z"]);
});

test.each([[undefined], [null], [{}], [{ locals: {} }], [{ locals: { mine: { x: declared("stack/mine", "NOT_OURS") } } }]])(
  "required secrets are none in %j",
  (synthesized) => {
    expect(requiredSecrets(synthesized)).toEqual([]);
  },
);
