import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { bundle } from "./bundle.mjs";

/**
 * Bundles a Terraform provider into `main.cjs`, chunks that it loads on demand, and a launcher. The extension makes it CommonJS
 * whatever the package.json above it says. Terraform finds the plugin by the launcher's name.
 *
 * @param {object} plugin
 * @param {Record<string, Uint8Array>} [plugin.stored] files with encoded responses, for a plugin that reads them
 * @returns {Promise<string>} the path of the launcher
 */
export async function bundlePlugin({ entry, folder, name, version, stored }) {
  const launcher = `terraform-provider-${name}_v${version}`;
  const others = () => ({
    [launcher]: readFileSync("src/plugin/protocol/launcher.sh"),
    ...stored,
  });
  await bundle({ entry, folder, extension: ".cjs", readable: (file) => /^(main|provider-)/.test(file), others });
  chmodSync(join(folder, launcher), 0o755);
  return join(folder, launcher);
}

/** No time zone and no time of the build is in the file, so each build of the same sources writes the same bytes. */
const TIME = new Date(1980, 0, 1);
const UNIX = 3;

/**
 * Packs a bundled plugin into a zip file, and writes its version and Terraform's hash beside it.
 *
 * @param {(files: Record<string, Uint8Array>) => string} hashOf
 */
export function packPlugin({ folder, zip, version, hashOf }) {
  const names = readdirSync(folder).sort();
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
  const modeOf = (name) => (name.startsWith("terraform-provider-") ? 0o100755 : 0o100644);
  const entries = names.map((name) => [name, [files[name], { mtime: TIME, os: UNIX, attrs: modeOf(name) * 0x10000 }]]);
  writeFileSync(zip, zipSync(Object.fromEntries(entries), { level: 9 }));
  writeFileSync(`${zip}.json`, `${JSON.stringify({ version, hash: hashOf(files) })}\n`);
}
