import { TerraformVariable } from "cdktf";
import { Engine } from "../../src/constructs/engine";
import { Secret } from "../../src/constructs/secret";
import type { JsonObject } from "../../src/model/provider-type";
import { cluster, provider } from "../support/capvs";
import { backends, providerBackend } from "../support/tools";
import type { StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

/** Whatever `bodyOverrides` are, the service gets them exactly, and a change of them replaces the object. */

interface Tokens {
  readonly text: string;
  readonly any: string;
  readonly list: readonly string[];
  readonly secret: Secret;
}

function declare(fixture: StackFixture, extra: (tokens: Tokens) => unknown, more: { engine?: Engine } = {}) {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, more);
    const text = new TerraformVariable(stack, "text", { type: "string", default: 'a "quoted" <text>' });
    const any = new TerraformVariable(stack, "any", { type: "number", default: 3 });
    const list = new TerraformVariable(stack, "list", { type: "list(string)", default: ["b", "a"] });
    const secret = new TerraformVariable(stack, "secret", { type: "string", sensitive: true, default: "s3cret" });
    const tokens = {
      text: text.stringValue,
      any: any.value as string,
      list: list.listValue,
      secret: Secret.fromToken(secret.stringValue),
    };
    const value = extra(tokens);
    cluster(stack, "prod", provider(stack), value === undefined ? {} : { bodyOverrides: { cluster: { extra: value } } });
  });
}

const sent = (fixture: StackFixture) => (fixture.simulator.clusters[0]!.body.cluster as JsonObject).extra;

const steps: [(tokens: Tokens) => unknown, unknown][] = [
  [() => undefined, undefined],
  [() => ({ a: {}, b: null }), { a: {}, b: null }],
  [() => ["3"], ["3"]],
  [({ any }) => [any], [3]],
  [({ list }) => list, ["b", "a"]],
  [({ secret }) => [{ public: 1, secret }], [{ public: 1, secret: "s3cret" }]],
  [({ text, secret }) => [{ public: `-${text}`, secret }], [{ public: '-a "quoted" <text>', secret: "s3cret" }]],
  [() => [{ public: 2 }], [{ public: 2 }]],
];

testOn(inRest([...backends, providerBackend]), { acceptUnknownFields: true })(
  "every change of bodyOverrides reaches the service, and no other change is planned",
  async (fixture) => {
    for (const [extra, expected] of steps) {
      declare(fixture, extra);
      await fixture.converges();
      expect(sent(fixture)).toEqual(expected);
    }
    expect(fixture.happened().filter((event) => event === "+prod")).toHaveLength(steps.length);
    // A literal may take the place of a token.
    declare(fixture, ({ text }) => text);
    await fixture.applied();
    declare(fixture, () => 'a "quoted" <text>');
    await fixture.applied();
    expect(fixture.happened().filter((event) => event === "+prod")).toHaveLength(steps.length + 1);

    declare(fixture, ({ any }) => any);
    const refusal = expect.stringContaining("because JavaScript rounds larger numbers") as string;
    expect(await fixture.failed({ env: { TF_VAR_any: "9007199254740993" } })).toEqual(refusal);
  },
);
