import { createHash } from "node:crypto";
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
import { PLUGIN_SOURCE } from "../contract/addresses";
import { ConfigurationError } from "../model/errors";

/** Folder of the bundled plugin; the same place seen from the sources and from the published package. */
const BUNDLE = path.resolve(__dirname, "../../dist/plugin");
const LAUNCHER = /^terraform-provider-clusterplatform_v(.+)$/;
/** Where a plugin in JavaScript runs. Windows starts no file without a suffix. */
const PLATFORMS = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"];

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
        if (!this.isNeeded) return rmSync(versionsIn(folder), { recursive: true, force: true });
        writeMirror(folder);
        lock(path.join(folder, ".terraform.lock.hcl"));
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

const versionsIn = (stackFolder: string) => path.join(stackFolder, "terraform.d/plugins", PLUGIN_SOURCE);

/** Leaves alone what is there already, since a plugin may be running from it. */
function writeMirror(stackFolder: string): void {
  const versions = versionsIn(stackFolder);
  const { file, version } = launcher();
  const [first, ...others] = PLATFORMS.map((platform) => path.join(versions, version!, platform)) as [string, ...string[]];
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

/** Terraform's hash `h1` of a package: of the names and hashes of the files in it. Modes do not count. */
export function packageHash(folder: string): string {
  const sha256 = (data: string | Buffer) => createHash("sha256").update(data);
  const lines = readdirSync(folder)
    .sort()
    .map((name) => `${sha256(readFileSync(path.join(folder, name))).digest("hex")}  ${name}\n`);
  return `h1:${sha256(lines.join("")).digest("base64")}`;
}

const LOCK_HEADER = `# This file is maintained automatically by "terraform init".
# Manual edits may be lost in future updates.
`;
const LOCKED = new RegExp(`\\n*provider "${PLUGIN_SOURCE.replaceAll(".", "\\.")}" \\{[^}]*\\}\\n?`);

/** Has the lock file say what the mirror holds. What it says of other providers stays. */
function lock(file: string): void {
  const { version } = launcher();
  const entry = `
provider "${PLUGIN_SOURCE}" {
  version     = "${version}"
  constraints = "${version}"
  hashes = [
    "${packageHash(BUNDLE)}",
  ]
}
`;
  const before = existsSync(file) ? readFileSync(file, "utf8") : LOCK_HEADER;
  const after = LOCKED.test(before) ? before.replace(LOCKED, () => `\n${entry}`) : `${before.trimEnd()}\n${entry}`;
  if (after !== before) writeFileSync(file, after);
}
