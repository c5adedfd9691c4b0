import { DataResource, type TerraformStack } from "cdktf";
import { Platform, type Engine } from "cdktf-cluster-platform";
import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { valueOf } from "../goldens/golden";
import { declare } from "../support/declare";

/** The declarations that a version's state was written for. They are stored, because the goldens change. */
export interface Declared {
  readonly type: TypeCode;
  readonly kind: "provider" | "cluster";
  readonly declaration: JsonObject;
}

/** All declarations of the goldens. */
export function everything(): Declared[] {
  return Object.values(goldens).flatMap(({ code, provider, cluster }) =>
    (["minimal", "maximal"] as const).flatMap((example): Declared[] => [
      { type: code, kind: "provider", declaration: provider[example].declaration },
      { type: code, kind: "cluster", declaration: cluster[example].declaration },
    ]),
  );
}

/** A stack with all declarations, and a resource that waits for the first cluster. */
export function declareAll(stack: TerraformStack, engine: Engine, declared: readonly Declared[]): void {
  const platform = new Platform(stack, "platform", { engine, pollSeconds: 0.2, deletionProtection: false });
  const objects = declared.map(({ type, kind, declaration }) => declare(platform, type, kind, declaration));
  new DataResource(stack, "follower", {
    dependsOn: [objects.find((object) => "fqn" in object && "clusterName" in object) as never],
  });
}

export function secretsOf(declared: readonly Declared[]): Record<string, string> {
  const variables = JSON.stringify(declared).matchAll(/"env":"(\w+)"/g);
  return Object.fromEntries([...variables].map(([, variable]) => [variable, valueOf(variable!)]));
}
