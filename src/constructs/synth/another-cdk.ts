import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { cdkFile, entryPoint, type Cdk } from "../../model/cdk";
import { ClusterPlatformError } from "../../model/errors";
import { CDK } from "./loaded-cdk";

/** jsii stores the package and its version in every class of the CDK. */
const JSII_RTTI = Symbol.for("jsii.rtti");

/**
 * Two copies of one version of the CDK work together. Two versions, or cdktf and cdktn, fail in the middle of a synth with errors
 * that do not name the cause.
 * @throws CDKTF_MISMATCH
 */
export function refuseAnotherCdk(scope: Construct): void {
  const theirs = versionOf(TerraformStack.of(scope).constructor);
  const ours = versionOf(TerraformStack);
  if (theirs === ours || theirs === undefined || ours === undefined) return;
  const [cdk] = theirs.split(" ") as [Cdk];
  throw new ClusterPlatformError(
    "CDKTF_MISMATCH",
    `${scope.node.path}: the stack uses ${theirs}, but ${entryPoint(CDK)} loads ${ours} (${cdkFile(CDK) ?? "bundled"}), and a stack ` +
      "cannot hold elements of both\n" +
      (ours.startsWith(`${cdk} `)
        ? `Keep one: \`npm ls ${CDK}\` shows which package depends on the other; make both depend on the same version, then run \`npm dedupe\``
        : `Import from "${entryPoint(cdk)}"`),
  );
}

/** Such as `cdktf 0.21.0`. Undefined for a class without package and version. */
function versionOf(stackClass: object): string | undefined {
  for (let ancestor: object | null = stackClass; ancestor; ancestor = Object.getPrototypeOf(ancestor) as object | null) {
    const rtti = Object.getOwnPropertyDescriptor(ancestor, JSII_RTTI)?.value as { fqn: string; version: string } | undefined;
    // A subclass from another jsii library has the name of that library, so the search includes its ancestors.
    const [, name] = /^(cdktf|cdktn)\.TerraformStack$/.exec(rtti?.fqn ?? "") ?? [];
    if (name) return `${name} ${rtti!.version}`;
  }
  return undefined;
}
