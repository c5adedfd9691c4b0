import { TerraformVariable, Token } from "cdktf";
import { Platform } from "cdktf-cluster-platform";
import { goldens } from "../goldens";
import { declare } from "../support/declare";
import { synthError, synthesize } from "../support/synth";

const { declaration: provider } = goldens.capsmv2.provider.minimal;
const { declaration: tls } = goldens.capov.provider.minimal;
const { declaration: cluster } = goldens.capsmv2.cluster.minimal;

test.each([
  ["capsmv2", "provider", "hosts", provider],
  ["capsmv2", "cluster", "workers", cluster],
  ["capsmv2", "cluster", "controlPlane", cluster],
  ["capov", "provider", "tls", tls],
] as const)(
  "a %s %s refuses a token for the whole of %s, because a plan shows its structure",
  (type, kind, prop, declaration) => {
    const error = synthError((stack) => {
      new Platform(stack, "platform");
      const variable = new TerraformVariable(stack, "inventory", { type: "any" });
      declare(stack, type, kind, { ...declaration, [prop]: Token.asAny(variable.value) });
    });
    expect(error.message).toContain(
      `[stack/${type}-${kind}-${declaration.name}] '${prop}' must be written out, so that a plan can show what changes in it, got a token; its fields may be tokens (`,
    );
  },
);

test("hosts take tokens for their addresses and for all of their labels", () => {
  const { entries } = synthesize((stack) => {
    new Platform(stack, "platform");
    const variable = new TerraformVariable(stack, "inventory", { type: "any" });
    declare(stack, "capsmv2", "provider", {
      ...provider,
      hosts: [{ address: variable.stringValue, labels: Token.asStringMap(variable.value) }],
    });
  });
  const hosts = entries.capsmv2_providers!["sm-main"]!;
  expect(hosts.triggers).toMatchObject({
    "hosts[0].address": "${var.inventory}",
    "hosts[0].labels": "${jsonencode(var.inventory)}",
  });
  expect(hosts.spec).toMatchObject({ hosts: [{ address: "${var.inventory}", labels: "${var.inventory}" }] });
});
