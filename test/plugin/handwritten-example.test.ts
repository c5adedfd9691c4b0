import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeBlocks } from "../docs/pages";
import { providerBody } from "../simulator/bodies";
import { testOnPrograms } from "./plugin-fixture";

/** The example of docs/engines.md without CDKTF. */

testOnPrograms("the configuration in the docs creates a cluster and shows its endpoint", async (stack) => {
  const example = codeBlocks("docs/engines.md").find(({ code }) => code.includes("required_providers"))!;
  stack.simulator.add("providers", "capvs", providerBody("vsphere-eu"));
  writeFileSync(join(stack.folder, "main.tf"), example.code);
  expect(await stack.applied()).toContain('api = "10.20.0.11:6443"');
  expect(await stack.changes()).toEqual([]);
});
