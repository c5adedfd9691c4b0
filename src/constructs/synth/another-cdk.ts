import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { ClusterPlatformError } from "../../model/errors";

/** jsii stores the package and its version in every class of cdktf. */
const JSII_RTTI = Symbol.for("jsii.rtti");

/**
 * Two copies of one version of cdktf work together. Two versions, or cdktf and CDK Terrain, fail in the middle of a synth with
 * errors that do not name the cause.
 * @throws CDKTF_MISMATCH
 */
export function refuseAnotherCdktf(scope: Construct): void {
  const theirs = versionOf(TerraformStack.of(scope).constructor);
  const ours = versionOf(TerraformStack);
  if (theirs === ours || theirs === undefined || ours === undefined) return;
  throw new ClusterPlatformError(
    "CDKTF_MISMATCH",
    `${scope.node.path}: the stack uses ${theirs}, but cdktf-cluster-platform loads ${ours} as its cdktf ` +
      `(${whereOursIs()}), and a stack cannot hold elements of both. ` +
      (theirs.startsWith("cdktn")
        ? `Make the name cdktf an alias of it: in package.json, "cdktf": "npm:cdktn@…" among the dependencies, of the same version, ` +
          `and "overrides": { "cdktf": "$cdktf" }`
        : "Keep one: `npm ls cdktf` shows which package depends on the other; make both depend on the same version, then run `npm dedupe`"),
  );
}

/** Such as `cdktf 0.21.0`. Undefined for a class without package and version. */
function versionOf(stackClass: object): string | undefined {
  for (let ancestor: object | null = stackClass; ancestor; ancestor = Object.getPrototypeOf(ancestor) as object | null) {
    const rtti = Object.getOwnPropertyDescriptor(ancestor, JSII_RTTI)?.value as { fqn: string; version: string } | undefined;
    // A subclass from another jsii library has the name of that library, so the search includes its ancestors.
    const [, name] = /^(\w+)\.TerraformStack$/.exec(rtti?.fqn ?? "") ?? [];
    if (name) return `${name} ${rtti!.version}`;
  }
  return undefined;
}

function whereOursIs(): string {
  try {
    return require.resolve("cdktf");
  } catch {
    return "bundled";
  }
}
