import { existsSync } from "node:fs";
import { builtFromProxy, goProgram } from "../../scripts/go.mjs";
import { nullProvider } from "../../scripts/null-provider.mjs";
import { newTerraform } from "../../scripts/new-terraform.mjs";
import { newOpenTofu, openTofu } from "../../scripts/open-tofu.mjs";
import { terraformBinary } from "../../scripts/terraform-binary.mjs";

/**
 * Finds or builds the tools once for all suites, passes them on in variables that tools.ts reads, and prints what is missing.
 * With REQUIRE_ALL_TESTS it fails if the machine could have a missing tool. TEST_BACKENDS selects the tools of a run
 * (scripts/test.mjs).
 */
export default async function setup() {
  if (!existsSync("dist/hooks/main.js"))
    throw new Error("dist/ is missing: run `npm run build` first, or `npm test`, which does");
  process.env.CHECKPOINT_DISABLE = "1";
  const backends = process.env.TEST_BACKENDS;
  if (backends === "none") return;

  process.env.CLUSTER_PLATFORM_TEST_TERRAFORM = terraformBinary();
  const plugin = await nullProvider();
  require(plugin.cliConfig, plugin, "everything on null_resource");
  if (plugin.cliConfig) process.env.TF_CLI_CONFIG_FILE = plugin.cliConfig;
  else process.env.CLUSTER_PLATFORM_TEST_LACKS_NULL = "1";

  const tofu = await openTofu();
  require(tofu.binary, tofu, "everything on OpenTofu");
  process.env.CLUSTER_PLATFORM_TEST_TOFU = tofu.binary ?? "";
  const found = [plugin.what, tofu.what];

  if (backends === "all" || backends === "campaigns") {
    const newTofu = await newOpenTofu();
    require(newTofu.binary, newTofu, "what only a newer OpenTofu can do");
    process.env.CLUSTER_PLATFORM_TEST_NEW_TOFU = newTofu.binary ?? "";
    const newer = await newTerraform();
    require(newer.binary, newer, "the provider on a newer Terraform");
    process.env.CLUSTER_PLATFORM_TEST_NEW_TERRAFORM = newer.binary ?? "";
    const acceptance = await acceptanceTests();
    require(acceptance.binary, acceptance, "HashiCorp's acceptance tests");
    process.env.CLUSTER_PLATFORM_TEST_ACCEPTANCE = acceptance.binary ?? "";
    const extras = await extrasProvider();
    require(extras.binary, extras, "actions and ephemeral resources");
    process.env.CLUSTER_PLATFORM_TEST_EXTRAS = extras.binary ?? "";
    found.push(newTofu.what, newer.what, acceptance.what, extras.what);
  }
  sparingGo();
  console.log(`\n${found.join("; ")}`);
}

function acceptanceTests() {
  const build = () => goProgram("acceptance-tests", "test/acceptance/go", ["test", "-c"]);
  return builtFromProxy("HashiCorp's acceptance tests", build);
}

function extrasProvider() {
  const build = () => goProgram("extras-provider", "test/plugin/extras", ["build"]);
  return builtFromProxy("a provider with an action and an ephemeral resource", build);
}

/**
 * Terraform runs on one thread at a time and collects garbage only when memory is short. It then takes a third less processor
 * time. Runs of Terraform still overlap, because suites do.
 */
function sparingGo() {
  process.env.GOMAXPROCS ??= "1";
  process.env.GOGC ??= "off";
  process.env.GOMEMLIMIT ??= "256MiB";
}

function require(found, { what, expected }, lost) {
  if (found) return;
  if (expected && process.env.REQUIRE_ALL_TESTS) throw new Error(what);
  console.error(`NOT RUN: ${lost}: ${what}`);
}
