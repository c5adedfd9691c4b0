import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { join, resolve } from "node:path";

/** What @cdktf/provider-null asks for (`~> 3.0`), and what the plugin is offered as in the mirror. */
const VERSION = "3.2.4";

/**
 * Makes the genuine hashicorp/null plugin available to tests and says how: by the registry where it answers, else
 * built from the Go module proxy into a filesystem mirror.
 *
 * @returns {Promise<{ source: "registry" | "mirror", cliConfig?: string, what: string } | { source: "none", expected: boolean, what: string }>}
 *   `expected`: whether this machine has what it takes to have it
 */
export async function nullProvider(cache = resolve(".cache/null-provider")) {
  const cliConfig = join(cache, "terraform.rc");
  if (existsSync(cliConfig)) return { source: "mirror", cliConfig, what: "hashicorp/null from the mirror that was built before" };
  if (await registryAnswers()) return { source: "registry", what: "hashicorp/null from registry.terraform.io" };
  if (spawnSync("go", ["version"]).status !== 0) {
    return {
      source: "none",
      expected: false,
      what: "hashicorp/null can be had neither from registry.terraform.io (no answer) nor by building it (no Go)",
    };
  }
  mkdirSync(cache, { recursive: true });
  const binary = join(cache, "terraform-provider-null");
  const what = goInstall(cache, binary) ?? goBuildWithPinnedSdk(binary);
  if (!what)
    return {
      source: "none",
      expected: true,
      what: "hashicorp/null could not be built from the Go module proxy, although Go is there",
    };
  const folder = join(cache, "mirror/registry.terraform.io/hashicorp/null", VERSION, `${goos()}_${goarch()}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(binary, join(folder, `terraform-provider-null_v${VERSION}`));
  const draft = `${cliConfig}.${process.pid}`;
  writeFileSync(
    draft,
    `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(join(cache, "mirror"))}\n  }\n}\n`,
  );
  renameSync(draft, cliConfig);
  return { source: "mirror", cliConfig, what };
}

async function registryAnswers() {
  try {
    const reply = await fetch("https://registry.terraform.io/.well-known/terraform.json", { signal: AbortSignal.timeout(5_000) });
    return reply.ok;
  } catch {
    return false;
  }
}

function goInstall(cache, binary) {
  const { status } = spawnSync("go", ["install", `github.com/hashicorp/terraform-provider-null@v${VERSION}`], {
    env: { ...process.env, GOBIN: cache, GOFLAGS: "-mod=mod -buildvcs=false" },
    stdio: "ignore",
    timeout: 300_000,
  });
  return status === 0 && existsSync(binary) ? `hashicorp/null ${VERSION} built from the Go module proxy` : undefined;
}

/**
 * Not every module proxy keeps every version. The plugin's first release, built with the last plugin SDK that it
 * compiles against and that speaks today's protocol, behaves the same: a map of triggers of which any change replaces.
 */
function goBuildWithPinnedSdk(binary) {
  try {
    execFileSync(
      "go",
      ["build", "-mod=mod", "-buildvcs=false", "-o", binary, "github.com/terraform-providers/terraform-provider-null"],
      {
        cwd: resolve(import.meta.dirname, "null-provider"),
        stdio: ["ignore", "ignore", "inherit"],
        timeout: 600_000,
      },
    );
    return `hashicorp/null 1.0.0 built from the Go module proxy, offered as ${VERSION} (the proxy does not have ${VERSION} itself)`;
  } catch {
    return undefined;
  }
}

const goos = () => (platform() === "win32" ? "windows" : platform());
const goarch = () => (arch() === "x64" ? "amd64" : arch());
