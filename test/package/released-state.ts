import { DataResource, type TerraformStack } from "cdktf";
import { Platform, type Engine, type ManagedObject } from "cdktf-cluster-platform";
import type { JsonObject, TypeCode } from "../../src/model/provider-type";
import { goldens } from "../goldens";
import { valueOf } from "../goldens/golden";
import { declare } from "../support/declare";

/** The declarations that a version's state was written for. They are stored, because the goldens change. */
export interface Declared {
  readonly platform: string;
  readonly type: TypeCode;
  readonly kind: "provider" | "cluster";
  readonly declaration: JsonObject;
}

/** All declarations of the goldens, and a second Platform. */
export function everything(): Declared[] {
  const ofTypes = Object.values(goldens).flatMap(({ code, provider, cluster }) =>
    (["minimal", "maximal"] as const).flatMap((example): Declared[] => [
      { platform: "", type: code, kind: "provider", declaration: provider[example].declaration },
      { platform: "", type: code, kind: "cluster", declaration: cluster[example].declaration },
    ]),
  );
  const named = { platform: "named", type: "capvs" } as const;
  const { provider, cluster } = goldens.capvs;
  return [
    ...ofTypes,
    { ...named, kind: "provider", declaration: { ...provider.minimal.declaration, name: "vs-named" } },
    {
      ...named,
      kind: "cluster",
      declaration: { ...cluster.minimal.declaration, name: "named", provider: "vs-named", apiEndpoint: "10.99.0.10" },
    },
  ];
}

/** A stack with all declarations, and a resource that waits for the first cluster. */
export function declareAll(stack: TerraformStack, engine: Engine, declared: readonly Declared[]): void {
  const platforms = new Map<string, Platform>();
  const objects = declared.map(({ platform: name, type, kind, declaration }): ManagedObject => {
    const props = { engine, pollSeconds: 0.2, deletionProtection: false, ...(name && { name }) };
    const platform = platforms.get(name) ?? new Platform(stack, `platform-${name}`, props);
    platforms.set(name, platform);
    return declare(platform, type, kind, declaration);
  });
  new DataResource(stack, "follower", {
    dependsOn: [objects.find((object) => "fqn" in object && "clusterName" in object) as never],
  });
}

export function secretsOf(declared: readonly Declared[]): Record<string, string> {
  const variables = JSON.stringify(declared).matchAll(/"env":"(\w+)"/g);
  return Object.fromEntries([...variables].map(([, variable]) => [variable, valueOf(variable!)]));
}
