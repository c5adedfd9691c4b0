import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigurationFiles } from "../../../recognition/recognize";

/** Terraform and OpenTofu load these files of a folder. */
export function configurationFiles(folder: string): ConfigurationFiles {
  const names = readdirSync(folder).filter(isConfiguration);
  return { folder, files: new Map(names.map((name) => [name, readFileSync(join(folder, name))])) };
}

/** Both ignore hidden files and the backups of editors. */
function isConfiguration(name: string): boolean {
  return /\.(?:tf|tofu)(?:\.json)?$/.test(name) && !/^\.|^#.*#$/.test(name);
}
