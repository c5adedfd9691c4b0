import { spawnSync } from "node:child_process";
import { Engine } from "../../src/constructs/engine";

/** Terraform or OpenTofu, as found on this machine. Undefined in a run without Terraform. */
export const terraform = process.env.CLUSTER_PLATFORM_TEST_TERRAFORM!;

/** OpenTofu, and one that is newer, where they can be had besides. */
const openTofu = process.env.CLUSTER_PLATFORM_TEST_TOFU || undefined;
const newOpenTofu = process.env.CLUSTER_PLATFORM_TEST_NEW_TOFU || undefined;

/** The engines that this machine can apply. */
export const engines: readonly Engine[] = process.env.CLUSTER_PLATFORM_TEST_LACKS_NULL
  ? [Engine.TERRAFORM_DATA]
  : [Engine.TERRAFORM_DATA, Engine.NULL_RESOURCE];

/** What applies a stack: a program, and the engine of the stack's objects. */
export interface Backend {
  readonly title: string;
  readonly binary: string;
  readonly engine: Engine;
  /** Whether only the run of everything has its program. */
  readonly isExtra: boolean;
}

function backendsOf(binary: string | undefined, called = "OpenTofu", isExtra = false): Backend[] {
  if (binary === undefined) return [];
  return engines.map((engine) => {
    const title = isOpenTofu(binary) ? `${engine} by ${called}` : engine;
    return { title, binary, engine, isExtra };
  });
}

/** Every backend that this machine has. What it lacks is said. */
export const backends: readonly Backend[] = [...new Set([terraform, openTofu])].flatMap((binary) => backendsOf(binary));

/** The same, and those of a newer OpenTofu, for what the one above cannot do yet. */
export const allBackends: readonly Backend[] = [...backends, ...backendsOf(newOpenTofu, "the newer OpenTofu", true)];

/** Those of `null_resource`, whose program has `terraform_data` as well. */
export const nullResourceBackends = allBackends.filter(({ engine }) => engine === Engine.NULL_RESOURCE);

/** Those of {@link terraform}. */
export const terraformBackends = backends.filter(({ binary }) => binary === terraform);

/** The package's own Terraform provider, by {@link terraform}. */
export const providerBackend: Backend = { title: "the provider", binary: terraform, engine: Engine.PROVIDER, isExtra: false };

/** The same, and by OpenTofu where this machine has it. */
export const providerBackends: readonly Backend[] = [
  providerBackend,
  ...(openTofu === undefined ? [] : [{ ...providerBackend, title: "the provider by OpenTofu", binary: openTofu }]),
];

function isOpenTofu(binary: string): boolean {
  return /tofu(\.exe)?$/.test(binary);
}

/** Whether a program is as new as the minor version 1 of it that brought something. */
export function isAtLeast(binary: string, minor: { readonly terraform: number; readonly openTofu: number }): boolean {
  const { stdout } = spawnSync(binary, ["version"], { encoding: "utf8" });
  const [, product, found] = /^(Terraform|OpenTofu) v1\.(\d+)/m.exec(stdout)!;
  return Number(found) >= (product === "Terraform" ? minor.terraform : minor.openTofu);
}
