import { spawnSync } from "node:child_process";
import { Engine } from "../../src/constructs/platform-resources";

/** Terraform or OpenTofu, as found on this machine. */
export const terraform = process.env.CLUSTER_PLATFORM_TEST_TERRAFORM!;

/** OpenTofu, and one that is newer, where they can be had besides. */
const openTofu = process.env.CLUSTER_PLATFORM_TEST_TOFU || undefined;
const newOpenTofu = process.env.CLUSTER_PLATFORM_TEST_NEW_TOFU || undefined;

/** What a stack is applied on: a program, and the engine of its objects. */
export interface Ground {
  readonly title: string;
  readonly binary: string;
  readonly engine: Engine;
}

/** Every ground that this machine has. What it lacks is said. */
export const grounds: readonly Ground[] = [...new Set([terraform, openTofu])].flatMap((binary) => groundsOf(binary));

/** The same, and those of a newer OpenTofu, for what the one above cannot do yet. */
export const grownGrounds: readonly Ground[] = [...grounds, ...groundsOf(newOpenTofu, "the newer OpenTofu")];

function groundsOf(binary: string | undefined, called = "OpenTofu"): Ground[] {
  if (binary === undefined) return [];
  return carriersOf(binary).map((engine) => {
    const title = isOpenTofu(binary) ? `${engine} by ${called}` : engine;
    return { title, binary, engine };
  });
}

/** Those of `null_resource`, whose program has `terraform_data` as well. */
export const nullGrounds = grownGrounds.filter(({ engine }) => engine === Engine.NULL_RESOURCE);

/** The engines that can be applied by {@link terraform}. */
export const engines = grounds.filter(({ binary }) => binary === terraform).map(({ engine }) => engine);

function carriersOf(binary: string): Engine[] {
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
