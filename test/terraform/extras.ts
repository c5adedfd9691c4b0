import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TerraformStack } from "cdktf";
import { thisSystem } from "../../src/contract/plugin-package";
import { notRun } from "../support/not-run";
import { extrasProvider } from "../support/tools";
import type { Workspace } from "./workspace";

const SOURCE = "extras.invalid/test/extras";
const VERSION = "0.1.0";

/** Synthesizes a stack that also has the provider in test/plugin/extras. False if this machine does not have it. */
export function synthWithExtras(workspace: Workspace, declare: (stack: TerraformStack) => void): boolean {
  if (extrasProvider === undefined) {
    notRun("actions and ephemeral resources", "only npm run test:campaigns builds the provider", { couldBeHad: true });
    return false;
  }
  workspace.synth((stack) => {
    stack.addOverride("terraform.required_providers.extras", { source: SOURCE, version: VERSION });
    declare(stack);
  });
  const folder = join("terraform.d/plugins", SOURCE, VERSION, thisSystem(), `terraform-provider-extras_v${VERSION}`);
  const file = join(workspace.stackFolder, folder);
  mkdirSync(dirname(file), { recursive: true });
  cpSync(extrasProvider, file);
  // Terraform then looks for all providers in the folder of the stack.
  workspace.env.TF_CLI_CONFIG_FILE = join(workspace.folder, "without-settings.tfrc");
  writeFileSync(workspace.env.TF_CLI_CONFIG_FILE, "");
  return true;
}
