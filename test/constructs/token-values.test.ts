import { App, DataResource, Fn, TerraformStack, TerraformVariable, Token } from "cdktf";
import { Construct } from "constructs";
import { Platform, Secret, Services } from "../../src";
import { Engine } from "../../src/constructs/engine";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const variable = (stack: TerraformStack) => new TerraformVariable(stack, "given", { type: "any" });

describe.each(Object.values(Engine))("with %s", (engine) => {
  const withPlatform = (declare: (stack: TerraformStack) => unknown) => (stack: TerraformStack) => {
    new Platform(stack, "platform", { engine });
    declare(stack);
  };

  test("every form of a whole token is accepted, also one that is an object", () => {
    const synthesized = synthesize(
      withPlatform((stack) => {
        const { output, id } = new DataResource(stack, "data", { input: { a: 1 } });
        const { value } = variable(stack);
        const more = {
          map: Token.asStringMap(value),
          numbers: Token.asNumberList(value),
          list: [output, Token.asNumber(value)],
          byName: { [id]: `a-${id}-b` },
          merged: Fn.merge([output, { b: 1 }]),
        };
        cluster(stack, "prod", provider(stack), {
          podSubnet: output as never,
          bodyOverrides: { cluster: { extra: output, more } },
        });
      }),
    );
    const text = JSON.stringify(synthesized);
    expect(text).toContain("${terraform_data.data.output}");
    expect(text).not.toContain("TfToken");
  });

  test.each<[string, (token: TerraformVariable) => unknown, string?]>([
    ["an element of a list", ({ listValue }) => listValue[0]],
    ["a list with a further element", ({ listValue }) => [...listValue, "b"], "[0]"],
    ["a list as text", ({ listValue }) => `${listValue.join(", ")}`],
    ["a cut text", ({ stringValue }) => stringValue.slice(0, 12)],
    ["a text with a changed key", ({ stringValue }) => stringValue.replace(".", "-")],
    ["a text without its brackets", ({ stringValue }) => stringValue.replace(/\W/g, "-")],
    ["an encoded text", ({ stringValue }) => encodeURIComponent(stringValue)],
    ["a doubled number", ({ numberValue }) => numberValue * 2],
    ["a text in upper case", ({ stringValue }) => stringValue.toUpperCase()],
    ["a map with a further key", ({ value }) => ({ ...Token.asStringMap(value), b: "c" })],
    ["a value of a map", ({ value }) => Object.values(Token.asStringMap(value))[0]],
    ["a number of a map", ({ value }) => Object.values(Token.asNumberMap(value))[0]],
    ["a number of a list", ({ value }) => Token.asNumberList(value)[0]],
    ["a number in text", ({ numberValue }) => `${numberValue} nodes`],
    ["a number as a key", ({ numberValue }) => ({ [numberValue]: 1 })],
  ])("%s is refused, because cdktf does not resolve it", (_, part, place = "") => {
    const { message } = synthError(
      withPlatform((stack) => {
        const value = part(variable(stack));
        cluster(stack, "prod", provider(stack), {
          id: "bad",
          bodyOverrides: { cluster: { extra: value } },
          ingress: value as string,
          services: Services.only(value as never),
        });
        provider(stack, "other", { password: Secret.fromFile(value as string) });
      }),
    );
    const rule = "must hold tokens as they are, not a part of one, a changed one or a number in text; use Terraform's functions";
    for (const prop of ["bodyOverrides.cluster.extra", "ingress", "services.enabled[0]"]) {
      expect(message).toContain(`'${prop}${place}' ${rule}`);
    }
    expect(message).toContain("[stack/bad] ");
    expect(message).not.toMatch(/TfToken|Map Token Value|e\+\d{3}/);
  });

  test("no message shows the placeholder of a token", () => {
    const { message } = synthError(
      withPlatform((stack) => {
        const { listValue, numberValue, stringValue } = variable(stack);
        const [element] = listValue;
        cluster(stack, "prod", provider(stack), { adopt: numberValue as never, dependsOn: [stringValue as never] });
        provider(stack, "other", { password: element as never, lifecycle: { ignoreChanges: listValue } });
        new Platform(stack, "eu", { engine, name: "eu", retain: [element!] });
      }),
    );
    expect(message).toContain("[stack/cluster-prod] 'dependsOn[0]' must be a construct");
    expect(message).toContain("[stack/eu] 'retain' must be known at synth");
    expect(message).not.toMatch(/TfToken|e\+\d{3}/);
  });

  test.each<[string, (token: TerraformVariable) => unknown]>([
    ["the end of a token", ({ stringValue }) => `x${stringValue.slice(2)}`],
    ["the beginning of one", ({ stringValue }) => stringValue.slice(0, 12)],
    ["its first characters", ({ stringValue }) => stringValue.slice(0, 9)],
    ["one in upper case", ({ stringValue }) => stringValue.toUpperCase()],
    ["a list with the end of one", ({ stringValue }) => [stringValue.slice(2)]],
    ["one with a changed key", ({ stringValue }) => stringValue.replace(".", "-")],
    ["a map of texts", ({ value }) => Token.asStringMap(value)],
    ["a map of any values", ({ value }) => Token.asAnyMap(value)],
  ])("no message shows %s", (_, part) => {
    for (const prop of ["dependsOn", "lifecycle", "adopt", "platform", "waitForReady"]) {
      const { message } = synthError(
        withPlatform((stack) => cluster(stack, "prod", provider(stack), { id: "bad", [prop]: part(variable(stack)) })),
      );
      expect(message).toContain(`[stack/bad] '${prop}`);
      expect(message).not.toMatch(/TfToken|Map Token Value/i);
    }
  });

  test.each<[string, () => unknown]>([
    ["a date", () => new Date(0)],
    ["a map", () => new Map([["a", 1]])],
    ["a promise", () => Promise.resolve()],
    ["a bigint", () => 10n],
    ["a construct", () => new DataResource(new TerraformStack(new App(), "other"), "d")],
    [
      "an object that holds itself",
      () => {
        const object: Record<string, unknown> = {};
        return Object.assign(object, { object });
      },
    ],
  ])("%s is refused where props have a rule of their own", (_, make) => {
    for (const prop of ["lifecycle", "adopt", "dependsOn", "waitForReady"]) {
      const { message } = synthError(
        withPlatform((stack) => cluster(stack, "prod", provider(stack), { id: "bad", [prop]: make() })),
      );
      expect(message).toContain(`[stack/bad] '${prop}`);
    }
  });

  test.each<[string, unknown, string]>([
    ["preventDestroy", null, "must be true or false, got null"],
    ["createBeforeDestroy", "no", 'must be true or false, got "no"'],
    ["precondition", { condition: true }, "must be a list of objects, got "],
    ["precondition", [null], "must be a list of objects, got [null]"],
    ["postcondition", [() => 1], "[0]' must be a JSON value"],
    ["replaceTriggeredBy", [""], "[0]' must be a resource or the address of one"],
  ])("lifecycle.%s is refused if it is %j", (name, value, problem) => {
    const { message } = synthError(
      withPlatform((stack) => cluster(stack, "prod", provider(stack), { id: "bad", lifecycle: { [name]: value } })),
    );
    expect(message).toContain(`[stack/bad] 'lifecycle.${name}`);
    expect(message).toContain(problem);
  });

  test("the group of workers may be any token, and workers themselves are written out", () => {
    const tokens = (stack: TerraformStack) => [variable(stack).stringValue, new DataResource(stack, "d").output];
    const workers = (of: (token: unknown) => object) =>
      withPlatform((stack) => {
        const on = provider(stack);
        for (const [index, token] of tokens(stack).entries()) {
          const apiEndpoint = `10.0.0.${9 + index}`;
          cluster(stack, `c${index}`, on, { apiEndpoint, workers: [of(token)] as never });
        }
      });
    const text = JSON.stringify(synthesize(workers((group) => ({ group, count: 1, cpus: 1, memoryMib: 1024, diskGib: 10 }))));
    expect(text).toContain("${var.given}");
    expect(text).toContain("terraform_data.d.output");
    expect(text).not.toContain("[object");
    expect(synthError(workers((token) => token as object)).message).toContain("'workers[0]' must be written out");
  });

  test("a prop that does not exist is refused, also if its value is a token", () => {
    const { message } = synthError(
      withPlatform((stack) => {
        const { stringValue } = variable(stack);
        cluster(stack, "prod", provider(stack), { id: "bad", ...{ timeouts: stringValue } });
      }),
    );
    expect(message).toContain("[stack/bad] 'timeouts' is not a prop here");
  });
});

test.each<[string, (stack: TerraformStack, id: string) => unknown]>([
  ["a cluster", (stack, id) => cluster(stack, "prod", provider(stack), { id })],
  ["a Platform", (stack, id) => new Platform(stack, id, { name: "eu" })],
  ["a construct around a provider", (stack, id) => provider(new Construct(stack, id))],
])("the id of %s is refused if it has a token, so that no path has one", (_, make) => {
  for (const id of [
    (token: TerraformVariable) => `a-${token.stringValue}`,
    (token: TerraformVariable) => encodeURIComponent(token.stringValue),
    (token: TerraformVariable) => token.listValue[0]!,
    (token: TerraformVariable) => `${token.numberValue}`,
  ]) {
    const error = synthError((stack) => {
      new Platform(stack, "platform");
      make(stack, id(variable(stack)));
    });
    expect(error).toMatchObject({
      code: "INVALID_PROP",
      message: "stack: the id of a construct in it must be known at synth, got a token",
    });
  }
});
