import { Engine } from "../../src/constructs/engine";
import type { Simulator } from "../../src/simulator";
import { TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { valueOf } from "../goldens/golden";
import { declare } from "../support/declare";
import { backends, providerBackend } from "../support/tools";
import { testOn } from "./test-on-backends";

const EXAMPLES = ["minimal", "maximal"] as const;

/** The variables of the goldens' secrets, with the values in the goldens' bodies. */
const secrets = Object.fromEntries(
  [...JSON.stringify(goldens).matchAll(/"env":"(\w+)"/g)].map(([, variable]) => [variable, valueOf(variable!)]),
);

const sent = (simulator: Simulator) =>
  Object.fromEntries(
    simulator.requests
      .filter(({ method }) => method === "POST")
      .map(({ path, body }) => [`${path} ${nameIn(body as JsonObject)}`, body]),
  );

/** Terraform's sets and maps have no order, so the provider may send their lists in another order. */
function inAnyOrder(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(inAnyOrder).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, inAnyOrder(item)] as const);
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function nameIn(body: JsonObject): unknown {
  return (body.cluster as JsonObject | undefined)?.clusterName ?? body.identityName ?? body.name;
}

// The maximal goldens override bodies with fields that the interface does not have.
for (const some of [backends, [providerBackend]])
  testOn(some, { acceptUnknownFields: true, env: secrets })(
    "providers and clusters of all types are created with exactly their bodies, need no change, and are deleted",
    async (fixture) => {
      const { simulator, workspace } = fixture;
      workspace.synth((stack) => {
        fixture.platform(stack);
        for (const code of TYPE_CODES) {
          for (const example of EXAMPLES) {
            declare(stack, code, "provider", goldens[code].provider[example].declaration);
            declare(stack, code, "cluster", goldens[code].cluster[example].declaration);
          }
        }
      });

      const applied = await workspace.apply();
      expect(applied).toMatchObject({ status: 0 });
      const asSent = fixture.engine === Engine.PROVIDER ? inAnyOrder : (value: unknown) => value;
      expect(asSent(sent(simulator))).toEqual(
        asSent(
          Object.fromEntries(
            TYPE_CODES.flatMap((code) =>
              EXAMPLES.flatMap((example) => {
                const provider = goldens[code].provider[example];
                const cluster = goldens[code].cluster[example];
                return [
                  [`/api/v1/platform/providers/${code} ${provider.declaration.name}`, provider.body],
                  [`/api/v1/platform/providers/clusters/${code} ${cluster.declaration.name}`, cluster.body],
                ];
              }),
            ),
          ),
        ),
      );
      for (const secret of Object.values(secrets)) {
        expect(applied.output).not.toContain(secret);
        expect(workspace.state()).not.toContain(secret);
      }

      expect(await workspace.plan()).toEqual([]);

      expect(await workspace.destroy()).toMatchObject({ status: 0 });
      expect(fixture.live()).toEqual([]);
    },
  );
