import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { type ISynthesisSession, type TerraformStack } from "cdktf";
// TerraformAsset uses this function, too. cdktf does not export it.
import { addCustomSynthesis } from "cdktf/lib/synthesize/synthesizer";
import { Construct } from "constructs";
import { LOCK_FILE, PLUGIN_SYSTEMS, pluginMirrorIn, withLockedPlugin, zipName } from "../../contract/plugin-package";
import { ConfigurationError } from "../../model/errors";
import { PLUGIN_ZIP } from "../synth/package-files";

/**
 * Writes the plugin into the folder of a synthesized stack, where Terraform finds it, and its hash into the lock file. So users
 * install nothing, and `cdktf deploy` does not ask a registry for it.
 */
class PluginMirror extends Construct {
  private isNeeded = false;

  constructor(stack: TerraformStack, id: string) {
    super(stack, id);
    addCustomSynthesis(this, {
      onSynthesize: ({ outdir, manifest }: ISynthesisSession) => {
        const folder = path.dirname(path.join(outdir, manifest.forStack(stack).synthesizedStackPath));
        if (!this.isNeeded) return rmSync(pluginMirrorIn(folder), { recursive: true, force: true });
        writeMirror(folder);
        lock(path.join(folder, LOCK_FILE));
      },
    });
  }

  need(): void {
    this.isNeeded = true;
  }
}

const MIRROR_ID = "cluster-platform-plugin";

function mirrorOf(stack: TerraformStack): PluginMirror {
  return (stack.node.tryFindChild(MIRROR_ID) as PluginMirror | undefined) ?? new PluginMirror(stack, MIRROR_ID);
}

export function bringPlugin(stack: TerraformStack): void {
  mirrorOf(stack).need();
}

/**
 * Removes the plugin of an earlier synth, unless another Platform of the stack needs it. With the plugin and without a provider
 * block, Terraform would delete the objects of the state and at the same time create the same names with hooks. Without the
 * plugin `terraform init` fails, and nothing changes.
 */
export function dropPlugin(stack: TerraformStack): void {
  mirrorOf(stack);
}

/** @throws INVALID_SETTING if the plugin does not exist */
export function pluginVersion(scope: Construct): string {
  if (existsSync(PLUGIN_ZIP)) return built().version;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `${scope.node.path}: the Terraform provider is not at ${PLUGIN_ZIP}; if the code is bundled, leave cdktf-cluster-platform out ` +
      "(esbuild: --packages=external; webpack: externals); in a clone of this package, run `npm run build`",
  );
}

/** What the build has written of the plugin. */
function built(): { readonly version: string; readonly hash: string } {
  return JSON.parse(readFileSync(`${PLUGIN_ZIP}.json`, "utf8")) as ReturnType<typeof built>;
}

function writeMirror(stackFolder: string): void {
  const mirror = pluginMirrorIn(stackFolder);
  const [first, ...others] = PLUGIN_SYSTEMS.map((system) => zipName(built().version, system)) as [string, ...string[]];
  mkdirSync(mirror, { recursive: true });
  for (const name of readdirSync(mirror)) rmSync(path.join(mirror, name), { recursive: true });
  copyFileSync(PLUGIN_ZIP, path.join(mirror, first));
  for (const name of others) linkOrCopy(path.join(mirror, first), path.join(mirror, name));
}

/** Copies the file if the file system does not support links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function lock(file: string): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const { version, hash } = built();
  const after = withLockedPlugin(before, version, hash);
  if (after !== before) writeFileSync(file, after);
}
