import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute, type Outcome } from "./terraform/workspace";

const demo = (args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  execute(process.execPath, ["--import", "tsx", "scripts/demo.ts", ...args], process.cwd(), { TF_CLI_ARGS: "", ...env }, {});

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

test("the demo goes from a plan to an empty service; without a terminal it has no colours", async () => {
  const { status, output } = await demo();
  expect(output).toContain("capvs  prod  vsphere-eu  Provisioned");
  expect(output).toContain("No changes. Your infrastructure matches the configuration.");
  expect(output).toMatch(/capvs\/clusters\/prod is protected[\s\S]*cluster prod: deleted after/);
  expect(output).toMatch(/no providers[\s\S]*no clusters[\s\S]*✔ the service is empty/);
  expect(output).not.toContain("a-password-that-nobody-sees");
  expect(output).not.toContain("\u001b[");
  expect(status).toBe(0);
  expect(existsSync(".cache/demo/cdktf.out/stacks/quickstart/cdk.tf.json")).toBe(true);
});

test("a kept service is not stopped by the next run, which says how to stop it", async () => {
  const kept = await demo(["--keep"]);
  expect(kept).toMatchObject({ status: 0 });
  const [, url] = /CLUSTER_PLATFORM_URL=(\S+)/.exec(kept.output)!;
  const [, pid] = /^ {2}kill (\d+)$/m.exec(kept.output)!;
  try {
    const next = await demo();
    expect(next).toMatchObject({ status: 1, output: expect.stringMatching(new RegExp(`^ {2}kill ${pid}$`, "m")) as string });
    expect(next.output).toContain(`${url} `);
    expect(readFileSync(".cache/demo/terraform.quickstart.tfstate", "utf8")).toContain("prod");
    expect(await answers(url!)).toBe(true);
  } finally {
    process.kill(Number(pid));
  }
});

test("a failed run leaves no service behind, even with --keep", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-demo-"));
  writeFileSync(join(folder, "terraform"), '#!/bin/sh\n[ "$1" = version ]\n');
  chmodSync(join(folder, "terraform"), 0o755);
  const { status, output } = await demo(["--keep"], { PATH: `${folder}:${process.env.PATH}` });
  rmSync(folder, { recursive: true });
  expect(output).toContain("✘ terraform init ended with 1");
  expect(status).toBe(1);
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(readFileSync(".cache/demo/service.log", "utf8"))!;
  expect(await answers(url)).toBe(false);
});

test("the demo of the provider does the same, with one changed line of the example", async () => {
  // The machine's CLI configuration for other tests must not be needed here.
  const { status, output } = await demo(["--engine", "provider"], { TF_CLI_CONFIG_FILE: "/dev/null" });
  expect(output).toContain("clusterplatform_capvs_cluster.prod: Creation complete");
  expect(output).toContain("capvs  prod  vsphere-eu  Provisioned");
  expect(output).toContain("No changes. Your infrastructure matches the configuration.");
  expect(output).toMatch(/no providers[\s\S]*no clusters[\s\S]*✔ the service is empty/);
  expect(output).not.toContain("a-password-that-nobody-sees");
  expect(status).toBe(0);
});

test("an unknown engine is refused by name, and nothing is started", async () => {
  const { status, output } = await demo(["--engine", "docker"]);
  expect(output).toContain("--engine must be one of terraform_data, null_resource, provider, got docker");
  expect(status).toBe(1);
});
