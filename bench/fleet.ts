import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import { CapvsCluster, CapvsProvider, Engine, Platform } from "cdktf-cluster-platform";
import { capbd } from "../examples/all-types/capbd";
import { capcd } from "../examples/all-types/capcd";
import { capos } from "../examples/all-types/capos";
import { capov } from "../examples/all-types/capov";
import { capsmv2 } from "../examples/all-types/capsmv2";
import { capvs } from "../examples/all-types/capvs";
import { capyc } from "../examples/all-types/capyc";
import { Stack } from "./stack";

/** One provider and one cluster of each type, from the examples. */
const types = [capvs, capov, capbd, capos, capsmv2, capyc, capcd];
export const PROVIDERS = types.length;

interface FleetOptions {
  readonly pollSeconds?: number;
  /** @default Engine.TERRAFORM_DATA */
  readonly engine?: Engine;
}

/** A stack with a provider per type and this number of clusters of all seven types. */
export function fleet(clusters: number, { pollSeconds, engine = Engine.TERRAFORM_DATA }: FleetOptions = {}): Promise<Stack> {
  return Stack.declared((stack: TerraformStack) => {
    new Platform(stack, "platform", { engine, pollSeconds, deletionProtection: false });
    for (const declare of types) declare(stack);
    const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };
    for (let index = types.length; index < clusters; index++) {
      new CapvsCluster(stack, `cluster-${index}`, {
        ...nthCluster(index),
        provider: CapvsProvider.fromName("vs-main"),
        podSubnet: "10.244.0.0/16",
        serviceSubnet: "10.96.0.0/12",
        productVersion: "2.5.0",
        controlPlane: { count: 3, ...size },
        workers: [{ group: "default", count: 2, ...size }],
      });
    }
  });
}

/** What one cluster of capvs has and no other. */
export function nthCluster(index: number): { readonly name: string; readonly apiEndpoint: string } {
  return { name: `cluster-${index}`, apiEndpoint: `10.100.${index >> 8}.${index & 255}` };
}

/** The secrets of the fleet, for the hooks' environment. */
export const secrets: Readonly<Record<string, string>> = Object.fromEntries(
  [...readFileSync(join(__dirname, "../examples/all-types/.env.example"), "utf8").matchAll(/^export (CAP\w+)='(.*)'$/gm)].map(
    ([, name, value]) => [name!, value!],
  ),
);
