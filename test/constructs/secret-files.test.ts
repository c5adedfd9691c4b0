import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { App, TerraformStack } from "cdktf";
import { Platform, Secret } from "../../src";
import { provider } from "../support/capvs";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "cluster-platform-files-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The path of a secret's file in a stack that is synthesized into a folder. */
function synthesized(path: string, outdir: string): string {
  const stack = new TerraformStack(new App({ outdir }), "prod");
  new Platform(stack, "platform");
  const { spec } = provider(stack, "vsphere", { password: Secret.fromFile(path) })._declared;
  return (spec.password as { $secret: { file: string } }).$secret.file;
}

test("a relative path of a secret starts from the project, and stays relative to the stack's folder", () => {
  const path = synthesized("keys/vsphere", folder);
  expect(path).toMatch(/^\.\.\//);
  expect(resolve(folder, "stacks/prod", path)).toBe(resolve("keys/vsphere"));
});

test("a relative path is found through a symbolic link, too", () => {
  mkdirSync(join(folder, "elsewhere/out"), { recursive: true });
  symlinkSync(join(folder, "elsewhere/out"), join(folder, "cdktf.out"));
  const path = synthesized("keys/vsphere", join(folder, "cdktf.out"));
  expect(resolve(folder, "elsewhere/out/stacks/prod", path)).toBe(resolve("keys/vsphere"));
});

test.each(["/run/secrets/vsphere", "~/.vsphere/password"])("%s stays unchanged", (path) => {
  expect(synthesized(path, folder)).toBe(path);
});
