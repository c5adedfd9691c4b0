import { realpathSync } from "node:fs";
import * as path from "node:path";
import { App, Manifest, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import type { SecretReference } from "../model/secret-reference";

/** The folder that a stack is synthesized into. Terraform and the hooks run in it. */
function stackFolder(scope: Construct): string {
  return path.join(realpathSync(App.of(scope).outdir), Manifest.stacksFolder, TerraformStack.of(scope).node.id);
}

/**
 * A reference as the hooks resolve it. The relative path of a file starts from the project, where the code runs; it becomes
 * one that starts from the stack's folder. It stays relative, so that the project may lie elsewhere on the machine that
 * applies.
 */
export function referenceIn(scope: Construct, reference: SecretReference): SecretReference {
  const { $secret } = reference;
  if (!("file" in $secret) || path.isAbsolute($secret.file) || $secret.file.startsWith("~/")) return reference;
  const relative = path.relative(stackFolder(scope), path.resolve($secret.file));
  return { $secret: { file: relative.split(path.sep).join("/") } };
}
