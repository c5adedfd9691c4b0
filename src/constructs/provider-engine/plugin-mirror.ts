import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import * as path from "node:path";
import { type ISynthesisSession, type TerraformStack } from "cdktf";
// TerraformAsset uses this function, too. cdktf does not export it.
import { addCustomSynthesis } from "cdktf/lib/synthesize/synthesizer";
import { Construct } from "constructs";
import { LOCK_FILE, packageHash, PLUGIN_SYSTEMS, pluginVersionsIn, withLockedPlugin } from "../../contract/plugin-package";
import { ConfigurationError } from "../../model/errors";

/** The same path from the sources and from the published package. */
export const PLUGIN_BUNDLE = path.resolve(__dirname, "../../../dist/plugin");
const LAUNCHER = /^terraform-provider-clusterplatform_v(.+)$/;

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
        if (!this.isNeeded) return rmSync(pluginVersionsIn(folder), { recursive: true, force: true });
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
  const version = existsSync(PLUGIN_BUNDLE) ? launcher().version : undefined;
  if (version !== undefined) return version;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `${scope.node.path}: the Terraform provider is not at ${PLUGIN_BUNDLE}; if the code is bundled, leave cdktf-cluster-platform out ` +
      "(esbuild: --packages=external; webpack: externals); in a clone of this package, run `npm run build`",
  );
}

function launcher(): { readonly file: string; readonly version?: string } {
  const file = readdirSync(PLUGIN_BUNDLE).find((name) => LAUNCHER.test(name)) ?? "";
  return { file, version: LAUNCHER.exec(file)?.[1] };
}

/** Keeps existing files, because a plugin may be running from them. */
function writeMirror(stackFolder: string): void {
  const versions = pluginVersionsIn(stackFolder);
  const { file, version } = launcher();
  const [first, ...others] = PLUGIN_SYSTEMS.map((platform) => path.join(versions, version!, platform)) as [string, ...string[]];
  const hash = packageHash(PLUGIN_BUNDLE);
  const isThere = (folder: string) => existsSync(folder) && packageHash(folder) === hash;
  if (![first, ...others].every(isThere) || readdirSync(versions).length > 1) {
    rmSync(versions, { recursive: true, force: true });
    for (const folder of [first, ...others]) mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(PLUGIN_BUNDLE)) {
      copyFileSync(path.join(PLUGIN_BUNDLE, name), path.join(first, name));
      for (const folder of others) linkOrCopy(path.join(first, name), path.join(folder, name));
    }
  }
  // A copy of the folder, such as an artifact of a pipeline, may have lost the executable bit.
  for (const folder of [first, ...others]) chmodSync(path.join(folder, file), 0o755);
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
  const after = withLockedPlugin(before, launcher().version!, packageHash(PLUGIN_BUNDLE));
  if (after !== before) writeFileSync(file, after);
}
