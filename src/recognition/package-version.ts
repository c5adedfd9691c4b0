import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PACKAGE } from "../constructs/synth/package-files";
import { ConfigurationError } from "../model/errors";
import { visible } from "../util/printable";
import { isPlainObject } from "../util/prop-path";
import { type ConfigurationFiles, foreignPlaces, type ForeignPlace } from "./recognize";

const NAME = "cdktf-cluster-platform";

/** A version of this package, which recognizes the stacks that it has synthesized. */
export interface PackageVersion {
  readonly version: string;
  readonly foreignPlaces: (files: ConfigurationFiles) => ForeignPlace[];
}

export const ownVersion: PackageVersion = { version: manifestIn(PACKAGE)!.version, foreignPlaces };

/**
 * Its code runs.
 * @param folder that it is installed in, with its dependencies and a CDK
 * @throws INVALID_SETTING
 */
export function installedVersion(folder: string): PackageVersion {
  const manifest = manifestIn(folder);
  if (manifest === undefined) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `command line: '--package' must be the folder of an installed version of ${NAME}, got ${folder}`,
    );
  }
  return { version: manifest.version, foreignPlaces: recognitionIn(folder).foreignPlaces };
}

function recognitionIn(folder: string): typeof import("./recognize") {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require(join(resolve(folder), "dist/recognition/recognize.js")) as typeof import("./recognize");
  } catch (error) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `command line: the package in ${folder} cannot be loaded: ${visible((error as Error).message)}; install its dependencies beside it`,
    );
  }
}

function manifestIn(folder: string): { readonly version: string } | undefined {
  const manifest = readJson(join(folder, "package.json"));
  const isIts = isPlainObject(manifest) && manifest.name === NAME && typeof manifest.version === "string";
  return isIts ? { version: manifest.version as string } : undefined;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
