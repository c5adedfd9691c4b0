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
// What TerraformAsset uses, too. It is not among the exports of cdktf.
import { addCustomSynthesis } from "cdktf/lib/synthesize/synthesizer";
import { Construct } from "constructs";
import { LOCK_FILE, packageHash, PLUGIN_SYSTEMS, pluginVersionsIn, withLockedPlugin } from "../contract/plugin-package";
import { ConfigurationError } from "../model/errors";

/** Folder of the bundled plugin; the same place seen from the sources and from the published package. */
const BUNDLE = path.resolve(__dirname, "../../dist/plugin");
const LAUNCHER = /^terraform-provider-clusterplatform_v(.+)$/;

/**
 * The plugin in the folder of a synthesized stack, where Terraform looks for it when it runs there, and its hash in the
 * lock file. So nothing has to be installed, and `cdktf deploy` does not ask a registry for it.
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

/** One for all Platforms of a stack. */
function mirrorOf(stack: TerraformStack): PluginMirror {
  return (stack.node.tryFindChild(MIRROR_ID) as PluginMirror | undefined) ?? new PluginMirror(stack, MIRROR_ID);
}

export function bringPlugin(stack: TerraformStack): void {
  mirrorOf(stack).need();
}

/**
 * Removes a plugin that an earlier synth has left, unless another Platform of the stack brings it. Were it there without a
 * provider block, Terraform would have it delete what the state has, and would create the same names by hooks meanwhile.
 * Without it `terraform init` fails, and nothing is touched.
 */
export function dropPlugin(stack: TerraformStack): void {
  mirrorOf(stack);
}

/** @throws INVALID_SETTING where the plugin is not there, for the user of `scope` */
export function pluginVersion(scope: Construct): string {
  const version = existsSync(BUNDLE) ? launcher().version : undefined;
  if (version !== undefined) return version;
  throw new ConfigurationError(
    "INVALID_SETTING",
    `${scope.node.path}: the Terraform provider is not at ${BUNDLE}; where the code is bundled, leave cdktf-cluster-platform out ` +
      "(esbuild: --packages=external; webpack: externals); in a clone of this package, run `npm run build`",
  );
}

function launcher(): { readonly file: string; readonly version?: string } {
  const file = readdirSync(BUNDLE).find((name) => LAUNCHER.test(name)) ?? "";
  return { file, version: LAUNCHER.exec(file)?.[1] };
}

/** Leaves alone what is there already, since a plugin may be running from it. */
function writeMirror(stackFolder: string): void {
  const versions = pluginVersionsIn(stackFolder);
  const { file, version } = launcher();
  const [first, ...others] = PLUGIN_SYSTEMS.map((platform) => path.join(versions, version!, platform)) as [string, ...string[]];
  const hash = packageHash(BUNDLE);
  const isThere = (folder: string) => existsSync(folder) && packageHash(folder) === hash;
  if (![first, ...others].every(isThere) || readdirSync(versions).length > 1) {
    rmSync(versions, { recursive: true, force: true });
    for (const folder of [first, ...others]) mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(BUNDLE)) {
      copyFileSync(path.join(BUNDLE, name), path.join(first, name));
      for (const folder of others) linkOrCopy(path.join(first, name), path.join(folder, name));
    }
  }
  // What has carried the folder here, such as the artifacts of a pipeline, may have lost it.
  for (const folder of [first, ...others]) chmodSync(path.join(folder, file), 0o755);
}

/** One file under several names, where the file system can do that. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** Has the lock file say what the mirror holds. */
function lock(file: string): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const after = withLockedPlugin(before, launcher().version!, packageHash(BUNDLE));
  if (after !== before) writeFileSync(file, after);
}
