import { Platform } from "cdktf-cluster-platform";
import { TYPE_CODES, type JsonObject } from "../../src/model/provider-type";
import { type Simulator, startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { goldens } from "../goldens";
import { valueOf } from "../goldens/golden";
import { declare } from "../support/declare";
import { engines } from "../support/tools";
import { Workspace } from "./workspace";

const EXAMPLES = ["minimal", "maximal"] as const;

/** Every variable that a golden takes a secret from, with the value that the golden's body has. */
const secrets = Object.fromEntries(
  [...JSON.stringify(goldens).matchAll(/"env":"(\w+)"/g)].map(([, variable]) => [variable, valueOf(variable!)]),
);

let simulator: Simulator;
let workspace: Workspace;

beforeEach(async () => {
  // The maximal goldens override bodies with fields that the interface does not have, as a user may.
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, acceptUnknownFields: true });
  workspace = new Workspace({ ...accessTo(simulator), ...secrets });
});

afterEach(async () => {
  workspace.remove();
  await simulator.close();
});

const sent = () =>
  Object.fromEntries(
    simulator.requests
      .filter(({ method }) => method === "POST")
      .map(({ path, body }) => [`${path} ${nameIn(body as JsonObject)}`, body]),
  );

function nameIn(body: JsonObject): unknown {
  return (body.cluster as JsonObject | undefined)?.clusterName ?? body.identityName ?? body.name;
}

describe.each(engines)("on %s", (engine) => {
  test("creates providers and clusters of all types with exactly their bodies, plans nothing, and deletes them all", async () => {
    workspace.synth((stack) => {
      new Platform(stack, "platform", { engine, pollSeconds: 0.2 });
      for (const code of TYPE_CODES) {
        for (const example of EXAMPLES) {
          declare(stack, code, "provider", goldens[code].provider[example].declaration);
          declare(stack, code, "cluster", goldens[code].cluster[example].declaration);
        }
      }
    });

    const applied = await workspace.apply();
    expect(applied).toMatchObject({ status: 0 });
    expect(sent()).toEqual(
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
    );
    for (const secret of Object.values(secrets)) {
      expect(applied.output).not.toContain(secret);
      expect(workspace.state()).not.toContain(secret);
    }

    expect(await workspace.plan()).toEqual([]);

    expect(await workspace.destroy()).toMatchObject({ status: 0 });
    expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
  });
});
