import { spawnSync } from "node:child_process";
import { Engine } from "../../src/constructs/platform-resources";

/** Terraform or OpenTofu, as found on this machine. */
export const terraform = process.env.CLUSTER_PLATFORM_TEST_TERRAFORM!;

/** OpenTofu, and one that is newer, where they can be had besides. */
const openTofu = process.env.CLUSTER_PLATFORM_TEST_TOFU || undefined;
const newOpenTofu = process.env.CLUSTER_PLATFORM_TEST_NEW_TOFU || undefined;

/** What applies a stack: a program, and the engine of the stack's objects. */
export interface Backend {
  readonly title: string;
  readonly binary: string;
  readonly engine: Engine;
}

/** Every backend that this machine has. What it lacks is said. */
export const backends: readonly Backend[] = [...new Set([terraform, openTofu])].flatMap((binary) => backendsOf(binary));

/** The same, and those of a newer OpenTofu, for what the one above cannot do yet. */
export const allBackends: readonly Backend[] = [...backends, ...backendsOf(newOpenTofu, "the newer OpenTofu")];

function backendsOf(binary: string | undefined, called = "OpenTofu"): Backend[] {
  if (binary === undefined) return [];
  return enginesOf(binary).map((engine) => {
    const title = isOpenTofu(binary) ? `${engine} by ${called}` : engine;
    return { title, binary, engine };
  });
}

/** Those of `null_resource`, whose program has `terraform_data` as well. */
export const nullResourceBackends = allBackends.filter(({ engine }) => engine === Engine.NULL_RESOURCE);

/** Those of {@link terraform}. */
export const terraformBackends = backends.filter(({ binary }) => binary === terraform);

/** The engines that can be applied by {@link terraform}. */
export const engines = terraformBackends.map(({ engine }) => engine);

function enginesOf(binary: string): Engine[] {
  const registry = isOpenTofu(binary) ? "registry.opentofu.org" : "registry.terraform.io";
  if (!process.env.CLUSTER_PLATFORM_TEST_NULL_LACKS?.split(" ").includes(registry)) {
    return [Engine.TERRAFORM_DATA, Engine.NULL_RESOURCE];
  }
  console.error(
    `NOT RUN: everything on null_resource by ${binary}, because the hashicorp/null plugin can be had neither from ${registry} nor from Go`,
  );
  return [Engine.TERRAFORM_DATA];
}

function isOpenTofu(binary: string): boolean {
  return /tofu(\.exe)?$/.test(binary);
}

/** Whether a program is as new as the minor version 1 of it that brought something. */
export function isAtLeast(binary: string, minor: { readonly terraform: number; readonly openTofu: number }): boolean {
  const { stdout } = spawnSync(binary, ["version"], { encoding: "utf8" });
  const [, product, found] = /^(Terraform|OpenTofu) v1\.(\d+)/m.exec(stdout)!;
  return Number(found) >= (product === "Terraform" ? minor.terraform : minor.openTofu);
}
