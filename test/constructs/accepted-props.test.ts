import { App, TerraformStack } from "cdktf";
import { Platform } from "cdktf-cluster-platform";
import { Construct } from "constructs";
import fc from "fast-check";
import { KINDS, TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import { isSecretReference } from "../../src/model/secret-reference";
import { requestBody } from "../../src/declarations/declaration";
import { providerTypes } from "../../src/declarations/types";
import { type Simulator, startSimulator } from "../../src/simulator";
import { declare } from "../support/declare";
import { accepted } from "../support/schema";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const table = TYPE_CODES.flatMap((code) => KINDS.map((kind) => ({ code, kind })));

test.each(table)("the service accepts every declaration of $code $kind", ({ code, kind }) => {
  const key = kind === "providers" ? "provider" : "cluster";
  const stack = new TerraformStack(new App(), "stack");
  new Platform(stack, "platform");
  let count = 0;
  fc.assert(
    fc.property(accepted(providerTypes[code][key].spec), (declaration) => {
      const scope = new Construct(stack, `run-${count++}`);
      const { spec } = declare(scope, code, key, declaration as JsonObject)._declared;
      const body = requestBody(providerTypes[code][key], spec);
      const { name } =
        kind === "providers"
          ? simulator.add("providers", code, resolveSecrets(body) as JsonObject)
          : simulator.add("clusters", code, resolveSecrets(body) as JsonObject);
      simulator.remove(kind, code, name);
      expect(name).toBe((declaration as JsonObject).name);
    }),
    { numRuns: 100 },
  );
});

function resolveSecrets(value: unknown): unknown {
  if (isSecretReference(value)) return (value.$secret as { value: string }).value;
  if (Array.isArray(value)) return value.map(resolveSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([prop, item]) => [prop, resolveSecrets(item)]));
}
