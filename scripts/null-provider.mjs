import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { join, resolve } from "node:path";

/** What @cdktf/provider-null asks for (`~> 3.0`), and what the plugin is offered as in the mirror. */
const VERSION = "3.2.4";

/** Where Terraform and OpenTofu look for the plugin, in a mirror too. */
const REGISTRIES = ["registry.terraform.io", "registry.opentofu.org"];

/**
 * Makes the genuine hashicorp/null plugin available to tests and says how: by the registries where both answer, else
 * built from the Go module proxy into a filesystem mirror, else by the registry that does answer.
 *
 * @returns {Promise<{ source: "registry" | "mirror" | "none", lacks: string[], expected: boolean, cliConfig?: string, what: string }>}
 *   `lacks`: the registries whose plugin cannot be had; `expected`: whether this machine has what it takes to lack none
 */
export async function nullProvider(cache = resolve(".cache/null-provider")) {
  const cliConfig = join(cache, "terraform.rc");
  const binary = join(cache, "terraform-provider-null");
  const mirrored = (what) => {
    offer(binary, join(cache, "mirror"), cliConfig);
    return { source: "mirror", lacks: [], expected: true, cliConfig, what };
  };
  // Written last, so that it says that the plugin is complete.
  if (existsSync(cliConfig) && existsSync(binary)) return mirrored("hashicorp/null from the mirror that was built before");
  const answers = await Promise.all(REGISTRIES.map(answer));
  const lacks = REGISTRIES.filter((_, index) => !answers[index]);
  const registry = {
    source: "registry",
    lacks,
    what: `hashicorp/null from ${REGISTRIES.filter((name) => !lacks.includes(name)).join(" and ")}`,
  };
  if (lacks.length === 0) return { ...registry, expected: true };
  const hasGo = spawnSync("go", ["version"]).status === 0;
  if (hasGo) {
    mkdirSync(cache, { recursive: true });
    const what = goInstall(cache, binary) ?? goBuildWithPinnedSdk(binary);
    if (what) return mirrored(what);
  }
  if (lacks.length < REGISTRIES.length) return { ...registry, expected: hasGo };
  const what = hasGo
    ? "hashicorp/null could not be built from the Go module proxy, although Go is there"
    : "hashicorp/null can be had neither from a registry (no answer) nor by building it (no Go)";
  return { source: "none", lacks, expected: hasGo, what };
}

async function answer(registry) {
  try {
    const reply = await fetch(`https://${registry}/.well-known/terraform.json`, { signal: AbortSignal.timeout(5_000) });
    return reply.ok;
  } catch {
    return false;
  }
}

/** Puts what is missing into the mirror. Another run may be using what is there. */
function offer(binary, mirror, cliConfig) {
  for (const registry of REGISTRIES) {
    const folder = join(mirror, registry, "hashicorp/null", VERSION, `${goos()}_${goarch()}`);
    const plugin = join(folder, `terraform-provider-null_v${VERSION}`);
    if (existsSync(plugin)) continue;
    mkdirSync(folder, { recursive: true });
    put(plugin, (draft) => copyFileSync(binary, draft));
  }
  const config = `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
  if (existsSync(cliConfig) && readFileSync(cliConfig, "utf8") === config) return;
  put(cliConfig, (draft) => writeFileSync(draft, config));
}

/** All of a file at once, or nothing of it. */
function put(file, write) {
  const draft = `${file}.${process.pid}`;
  write(draft);
  renameSync(draft, file);
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
