import type { HookNeeds, HookProviderNeed } from "../../contract/hook-protocol";
import { idOf } from "../../model/object-ref";
import { oncePerObject } from "../../util/once-per";
import { renderPath } from "../../util/prop-path";
import { secretsIn, type SecretUse } from "../../model/secret-reference";
import type { DeclaredObject } from "../synth/declared-object";
import { isToken, withoutTokens } from "../synth/tokens";

/** What the creates of these objects need, as far as synth knows it. */
export function needsOf(unsorted: readonly DeclaredObject[]): HookNeeds {
  const objects = [...unsorted].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  const secrets = objects.map((object) => [idOf(object), secretsByName(object)] as const);
  return {
    secrets: Object.fromEntries(secrets.filter(([, uses]) => uses.length > 0)),
    providers: providerNeeds(objects.filter(({ kind }) => kind === "clusters")),
    withTokens: objects.filter(({ hasTokens }) => hasTokens).map(idOf),
  };
}

const secretsByName = oncePerObject(({ spec }: DeclaredObject): SecretUse[] => {
  const uses = secretsIn(withoutTokens(spec)).filter(({ reference: { $secret } }) => {
    const source = "env" in $secret ? $secret.env : "file" in $secret ? $secret.file : undefined;
    return source !== undefined && !isToken(source);
  });
  return uses.sort((one, other) => (renderPath(one.path) < renderPath(other.path) ? -1 : 1));
});

function providerNeeds(clusters: readonly DeclaredObject[]): HookProviderNeed[] {
  const needs = new Map<string, HookProviderNeed & { readonly clusters: string[] }>();
  for (const { type, name, adopt, byName, triggers } of clusters) {
    const { provider, kubernetesVersion: version } = triggers;
    if (typeof provider !== "string" || isToken(provider)) continue;
    const known = {
      ...(typeof version === "string" && !isToken(version) && { kubernetesVersion: version }),
      ...(adopt && { adopt }),
      ...(!byName && { isOwn: true }),
    };
    const key = JSON.stringify([type, provider, known]);
    const need = needs.get(key) ?? { type, provider, ...known, clusters: [] };
    need.clusters.push(name);
    needs.set(key, need);
  }
  return [...needs.values()];
}
