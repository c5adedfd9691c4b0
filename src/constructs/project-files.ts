import { realpathSync } from "node:fs";
import * as path from "node:path";
import { App, Manifest, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import type { SecretReference } from "../model/secret-reference";

/**
 * The path of a file of the project as the hooks and the Terraform provider find it. Code runs in the project's folder, and
 * they run in that of the synthesized stack. The path stays relative, so that the project may lie elsewhere on the machine
 * that applies.
 */
export function pathFromStack(scope: Construct, file: string): string {
  if (path.isAbsolute(file) || file.startsWith("~/")) return file;
  return path.relative(stackFolder(scope), path.resolve(file)).split(path.sep).join("/");
}

/** A reference as the hooks resolve it. */
export function referenceIn(scope: Construct, reference: SecretReference): SecretReference {
  const { $secret } = reference;
  return "file" in $secret ? { $secret: { file: pathFromStack(scope, $secret.file) } } : reference;
}

function stackFolder(scope: Construct): string {
  return path.join(realpathSync(App.of(scope).outdir), Manifest.stacksFolder, TerraformStack.of(scope).node.id);
}
