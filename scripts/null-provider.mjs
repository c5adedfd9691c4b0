import { execFile } from "node:child_process";
import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { go, goInstall, hasGo } from "./go.mjs";
import { terraformBinary } from "./terraform-binary.mjs";
import { cached } from "./tool-cache.mjs";

/** @cdktf/provider-null requires `~> 3.0`. A plugin that is built here gets this version too. */
const VERSION = "3.2.4";

/** Below these names Terraform and OpenTofu look for the plugin, in a mirror too. */
const REGISTRIES = ["registry.terraform.io", "registry.opentofu.org"];

/**
 * Makes a mirror with the real hashicorp/null plugin, once per machine: from the registry, or built from the Go module proxy if
 * the registry does not answer.
 *
 * @returns {Promise<{ cliConfig?: string, what: string, expected: boolean }>} `cliConfig`: the value of TF_CLI_CONFIG_FILE that
 * makes both programs use the mirror; `expected`: whether this machine can have the plugin
 */
export async function nullProvider() {
  try {
    const folder = await cached(`null-provider-${VERSION}`, async (draft, folder) => {
      const what = (await download(draft)) ?? (await build(draft));
      writeFileSync(join(draft, "what"), what);
      const mirror = JSON.stringify(join(folder, "mirror"));
      writeFileSync(
        join(draft, "terraform.rc"),
        `provider_installation {\n  filesystem_mirror {\n    path = ${mirror}\n  }\n}\n`,
      );
    });
    const what = readFileSync(join(folder, "what"), "utf8");
    return { cliConfig: join(folder, "terraform.rc"), what, expected: true };
  } catch (error) {
    return {
      what: `hashicorp/null could neither be downloaded from the registry nor built: ${error.message}`,
      expected: hasGo(),
    };
  }
}

/** Undefined if the registry does not answer. */
async function download(draft) {
  const binary = terraformBinary();
  const registry = REGISTRIES[binary.includes("tofu") ? 1 : 0];
  if (!(await answers(registry))) return undefined;
  const folder = mkdtempSync(join(draft, "init-"));
  const required_providers = { null: { source: "hashicorp/null", version: "~> 3.0" } };
  writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ terraform: { required_providers } }));
  try {
    await promisify(execFile)(binary, ["init", "-input=false"], { cwd: folder, timeout: 120_000 });
    const versions = join(folder, ".terraform/providers", registry, "hashicorp/null");
    for (const name of REGISTRIES) {
      cpSync(versions, join(draft, "mirror", name, "hashicorp/null"), { recursive: true, dereference: true });
    }
    return `hashicorp/null ${readdirSync(versions).join()} from ${registry}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function answers(registry) {
  try {
    const reply = await fetch(`https://${registry}/.well-known/terraform.json`, { signal: AbortSignal.timeout(5_000) });
    return reply.ok;
  } catch {
    return false;
  }
}

async function build(draft) {
  if (!hasGo()) throw new Error("the registry does not answer, and there is no Go");
  console.log("building the hashicorp/null plugin, once on this machine …");
  const binary = join(draft, "terraform-provider-null");
  const what = (await atVersion(draft, binary)) ?? (await withPinnedSdk(binary));
  for (const registry of REGISTRIES) {
    const system = `${platform() === "win32" ? "windows" : platform()}_${arch() === "x64" ? "amd64" : arch()}`;
    const plugin = join(draft, "mirror", registry, "hashicorp/null", VERSION, system, `terraform-provider-null_v${VERSION}`);
    mkdirSync(dirname(plugin), { recursive: true });
    linkSync(binary, plugin);
  }
  return what;
}

async function atVersion(draft, binary) {
  await goInstall(`github.com/hashicorp/terraform-provider-null@v${VERSION}`, draft).catch(() => undefined);
  return existsSync(binary) ? `hashicorp/null ${VERSION} built from the Go module proxy` : undefined;
}

/**
 * Some module proxies lack later releases than the plugin's first one. The SDK is the last one that it compiles against and
 * that speaks today's protocol. The result behaves the same: any change in the map of triggers replaces.
 */
async function withPinnedSdk(binary) {
  const args = ["build", "-mod=mod", "-buildvcs=false", "-o", binary, "github.com/terraform-providers/terraform-provider-null"];
  await go(args, { cwd: resolve(import.meta.dirname, "null-provider") });
  return `hashicorp/null 1.0.0 built from the Go module proxy, offered as ${VERSION} (the proxy does not have ${VERSION} itself)`;
}
