import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.mjs";

/**
 * Bundles a Terraform provider: into `main.cjs`, which is CommonJS whatever a package.json above it says, the chunks
 * that it loads on demand, and the launcher, by whose name Terraform finds the plugin.
 *
 * @returns {Promise<string>} the path of the launcher
 */
export async function bundlePlugin({ entry, folder, name, version }) {
  const launcher = `terraform-provider-${name}_v${version}`;
  const others = () => ({ [launcher]: readFileSync("src/plugin/protocol/launcher.sh", "utf8") });
  await bundle({ entry, folder, extension: ".cjs", readable: () => true, others });
  chmodSync(join(folder, launcher), 0o755);
  return join(folder, launcher);
}
