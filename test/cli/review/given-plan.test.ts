import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { givenPlan } from "../../../src/cli/review/plan/given-plan";

const saved = { ...process.env };
const folder = mkdtempSync(join(tmpdir(), "given-plan-"));
afterAll(() => {
  process.env = saved;
  rmSync(folder, { recursive: true });
});

test("Terraform reads a saved plan without the tokens of the environment, because it starts the programs of the plan's folder", () => {
  const [plan, terraform, seen] = ["plan", "terraform", "seen"].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(plan, zipSync({ tfplan: new Uint8Array() }));
  writeFileSync(terraform, `#!/bin/sh\nenv > ${seen}\necho '{}'\n`, { mode: 0o755 });
  process.env = { ...saved, TERRAFORM_BINARY_NAME: terraform, GITHUB_TOKEN: "zq7", VSPHERE_PASSWORD: "zq8", KEPT: "kept" };
  expect(givenPlan(plan)).toMatchObject({ json: {} });
  const environment = readFileSync(seen, "utf8");
  expect(environment).toContain("KEPT=kept");
  expect(environment).not.toMatch(/zq[78]/);
});
