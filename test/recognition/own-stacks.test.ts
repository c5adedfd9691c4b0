import {
  Aspects,
  DataResource,
  dependable,
  TerraformOutput,
  TerraformResource,
  type TerraformStack,
  TerraformVariable,
  Token,
} from "cdktf";
import { Engine, Platform, type PlatformProps, Secret } from "cdktf-cluster-platform";
import { foreignPlaces } from "../../src/recognition/recognize";
import { TYPE_CODES } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { cluster, provider, size } from "../support/capvs";
import { declare } from "../support/declare";
import { synthesize } from "../support/synth";

/** Stacks that the package synthesizes have no foreign part, whatever their authors may declare. */

const parts = (make: (stack: TerraformStack) => void) => {
  const { entries: _, ...synthesized } = synthesize(make);
  return foreignPlaces({ files: new Map([["cdk.tf.json", Buffer.from(sorted(synthesized))]]) });
};
/** As cdktf writes JSON. JavaScript has another order for names that are numbers. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${sorted((value as Record<string, unknown>)[key])}`).join()}}`;
}
const url = "https://platform.example.com";
const everything: PlatformProps = {
  url,
  deletionProtection: true,
  allowDeletion: ["old"],
  retain: ["capvs/clusters/kept"],
  pollSeconds: 2,
  timeouts: { requestSeconds: 30, createSeconds: 10, readySeconds: 20, deleteSeconds: 30 },
  tls: { caFile: "/etc/ca.pem", insecureSkipVerify: true, allowPlainHttp: true },
};

describe.each(Object.values(Engine))("engine %s:", (engine) => {
  test.each(TYPE_CODES)("every prop of %s", (type) => {
    const of = ({ minimal, maximal }: (typeof goldens)[typeof type]["cluster"]) => [minimal.declaration, maximal.declaration];
    expect(
      parts((stack) => {
        new Platform(stack, "platform", { engine, ...everything });
        for (const declaration of of(goldens[type].provider)) declare(stack, type, "provider", declaration);
        for (const declaration of of(goldens[type].cluster)) declare(stack, type, "cluster", declaration);
      }),
    ).toEqual([]);
  });

  test.each(TYPE_CODES)("a %s cluster without workers", (type) => {
    expect(
      parts((stack) => {
        new Platform(stack, "platform", { engine });
        declare(stack, type, "cluster", { ...goldens[type].cluster.minimal.declaration, workers: [] });
      }),
    ).toEqual([]);
  });

  test("three Platforms, names of numbers, text that Terraform would change, and waits", () => {
    expect(
      parts((stack) => {
        const gate = new DataResource(stack, "gate");
        for (const name of [undefined, "eu", "us"]) {
          const platform = new Platform(stack, `platform-${name}`, {
            engine,
            name,
            dependsOn: [gate],
            ...(name !== undefined && { url: `${url}/${name}` }),
          });
          const on = provider(platform, `vsphere-${name ?? "main"}`, {
            folder: "/é/${x}/%{y}",
            username: Secret.unsafePlainText("ü${z}"),
            password: Secret.fromFile("~/password"),
          });
          cluster(platform, `b-${name}`, on, { waitForReady: false });
          cluster(platform, name === "eu" ? "20" : `a-${name}`, on, { adopt: true });
          const waited = cluster(platform, name === "eu" ? "3" : `c-${name}`, on, { bodyOverrides: { a: { b: ["ü", "${z}"] } } });
          new TerraformOutput(stack, `uid-${name}`, { value: waited.uid });
        }
        Aspects.of(stack).add({
          visit: (node) => {
            if (TerraformResource.isTerraformResource(node) && node !== gate)
              node.dependsOn = [...(node.dependsOn ?? []), dependable(gate)];
          },
        });
      }),
    ).toEqual([]);
  });

  test("tokens", () => {
    expect(
      parts((stack) => {
        new Platform(stack, "platform", { engine });
        const variable = new TerraformVariable(stack, "text", { type: "any" });
        const on = provider(stack, "vsphere", { folder: `/x/${variable.stringValue}/$` });
        cluster(stack, "prod", on, {
          apiEndpoint: variable.stringValue,
          bodyOverrides: { a: { b: variable.numberValue, c: Token.asAny(variable.value) } },
          controlPlane: { count: variable.numberValue, ...size },
        });
        cluster(stack, "stage", on);
      }),
    ).toEqual([]);
  });

  test("a Platform without objects", () => {
    expect(parts((stack) => void new Platform(stack, "platform", { engine }))).toEqual([]);
  });
});
