import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
