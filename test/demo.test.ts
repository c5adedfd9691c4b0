import { existsSync } from "node:fs";
import { execute } from "./terraform/workspace";

test("the demo goes from a plan to an empty service, and ends well", async () => {
  const { status, output } = await execute("npx", ["tsx", "scripts/demo.ts"], process.cwd(), { TF_CLI_ARGS: "" }, {});
  const text = output.replace(/\u001b\[[0-9;]*m/g, "");
  expect(text).toContain("capvs  prod  vsphere-eu  Provisioned");
  expect(text).toContain("No changes. Your infrastructure matches the configuration.");
  expect(text).toMatch(/cluster prod: deleted after/);
  expect(text).toMatch(/no providers[\s\S]*no clusters[\s\S]*✔ the service is empty/);
  expect(text).not.toContain("a-password-that-nobody-sees");
  expect(status).toBe(0);
  expect(existsSync(".cache/demo/cdktf.out/stacks/quickstart/cdk.tf.json")).toBe(true);
});
