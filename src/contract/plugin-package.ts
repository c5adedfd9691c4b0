import { createHash } from "node:crypto";
import { join } from "node:path";
import { PLUGIN_NAME, PLUGIN_SOURCE } from "./addresses";

/**
 * The package's own Terraform provider in a synthesized stack, and its hash in the lock file. Terraform copies a zip file into its
 * own folder, and into the folder of TF_PLUGIN_CACHE_DIR. To a folder with the files it would make a link, and the cache of all
 * stacks would have a link into one of them.
 */

/** Windows starts no file without a suffix. */
export const PLUGIN_SYSTEMS: readonly string[] = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"];

/** The system of this machine by Terraform's name, as in `linux_amd64`. */
export function thisSystem(): string {
  return `${process.platform === "win32" ? "windows" : process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
}

/** Below the folder of a stack. Terraform looks there when it is started in the folder. */
export const MIRROR = "terraform.d/plugins";
export const LOCK_FILE = ".terraform.lock.hcl";

/** Has a zip file for each system. */
export function pluginMirrorIn(stackFolder: string): string {
  return join(stackFolder, MIRROR, PLUGIN_SOURCE);
}

/** The name that Terraform looks for. */
export function zipName(version: string, system: string): string {
  return `terraform-provider-${PLUGIN_NAME}_${version}_${system}.zip`;
}

export function launcherName(version: string): string {
  return `terraform-provider-${PLUGIN_NAME}_v${version}`;
}

/** Terraform's hash `h1` of the names and hashes of all files. Modes do not count. */
export function packageHash(files: Readonly<Record<string, Uint8Array>>): string {
  const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data);
  const lines = Object.keys(files)
    .sort()
    .map((name) => `${sha256(files[name]!).digest("hex")}  ${name}\n`);
  return `h1:${sha256(lines.join("")).digest("base64")}`;
}

const LOCK_HEADER = `# This file is maintained automatically by "terraform init".
# Manual edits may be lost in future updates.
`;
const LOCKED = new RegExp(`\\n*provider "${PLUGIN_SOURCE.replaceAll(".", "\\.")}" \\{([^}]*)\\}\\n?`);

/** Replaces the plugin's entry of a lock file, and keeps all others. */
export function withLockedPlugin(lockFile: string | undefined, version: string, hash: string): string {
  const entry = `
provider "${PLUGIN_SOURCE}" {
  version     = "${version}"
  constraints = "${version}"
  hashes = [
    "${hash}",
  ]
}
`;
  const before = lockFile ?? LOCK_HEADER;
  return LOCKED.test(before) ? before.replace(LOCKED, () => `\n${entry}`) : `${before.trimEnd()}\n${entry}`;
}

export function lockedPlugin(lockFile: string): { readonly version?: string; readonly hashes: readonly string[] } | undefined {
  const [, entry] = LOCKED.exec(lockFile) ?? [];
  if (entry === undefined) return undefined;
  const [, version] = /^\s*version\s*=\s*"([^"]*)"/m.exec(entry) ?? [];
  return { ...(version !== undefined && { version }), hashes: [...entry.matchAll(/"(h1:[^"]*)"/g)].map(([, hash]) => hash!) };
}
