import { existsSync } from "node:fs";
import { nullProvider } from "../../scripts/null-provider.mjs";
import { newOpenTofu, openTofu } from "../../scripts/open-tofu.mjs";
import { terraformBinary } from "../../scripts/terraform-binary.mjs";

/** Finds the real tools once for all suites; what is missing is said loudly and counted (see tools.ts). */
export default async function setup() {
  if (!existsSync("dist/hooks/main.js"))
    throw new Error("dist/ is missing: run `npm run build` first, or `npm test`, which does");
  process.env.CHECKPOINT_DISABLE = "1";
  process.env.CLUSTER_PLATFORM_TEST_TERRAFORM = terraformBinary();
  const plugin = await nullProvider();
  if (plugin.lacks.length > 0 && plugin.expected && process.env.REQUIRE_ALL_TESTS) throw new Error(plugin.what);
  process.env.CLUSTER_PLATFORM_TEST_NULL_LACKS = plugin.lacks.join(" ");
  if (plugin.cliConfig) process.env.TF_CLI_CONFIG_FILE = plugin.cliConfig;
  const [tofu, newTofu] = [openTofu(), newOpenTofu()];
  for (const [{ binary, expected, what }, lost] of [
    [tofu, "everything on OpenTofu"],
    [newTofu, "what only a newer OpenTofu can do"],
  ]) {
    if (!binary && expected && process.env.REQUIRE_ALL_TESTS) throw new Error(what);
    if (!binary) console.error(`NOT RUN: ${lost}: ${what}`);
  }
  process.env.CLUSTER_PLATFORM_TEST_TOFU = tofu.binary ?? "";
  process.env.CLUSTER_PLATFORM_TEST_NEW_TOFU = newTofu.binary ?? "";
  console.log(`\nnull_resource: ${plugin.what}\nOpenTofu: ${tofu.what}; ${newTofu.what}`);
}
