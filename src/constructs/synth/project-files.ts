import { realpathSync } from "node:fs";
import * as path from "node:path";
import { App, Manifest, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import type { SecretReference } from "../../model/secret-reference";

/** The code runs in the project's folder, hooks and provider in the stack's. A relative path works on another machine, too. */
export function pathFromStack(scope: Construct, file: string): string {
  if (path.isAbsolute(file) || file.startsWith("~/")) return file;
  return path.relative(stackFolder(scope), path.resolve(file)).split(path.sep).join("/");
}

/** Makes the path of a file secret relative to the stack's folder. Other references stay unchanged. */
export function referenceIn(scope: Construct, reference: SecretReference): SecretReference {
  const { $secret } = reference;
  return "file" in $secret ? { $secret: { file: pathFromStack(scope, $secret.file) } } : reference;
}

function stackFolder(scope: Construct): string {
  return path.join(realpathSync(App.of(scope).outdir), Manifest.stacksFolder, TerraformStack.of(scope).node.id);
}
