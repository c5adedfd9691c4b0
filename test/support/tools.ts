import { spawnSync } from "node:child_process";
import { Engine } from "../../src/constructs/engine";

/** The path of Terraform or OpenTofu. Undefined in a run without Terraform. */
export const terraform = process.env.CLUSTER_PLATFORM_TEST_TERRAFORM!;

/** OpenTofu and a newer OpenTofu, if this machine has them besides. */
const openTofu = process.env.CLUSTER_PLATFORM_TEST_TOFU || undefined;
const newOpenTofu = process.env.CLUSTER_PLATFORM_TEST_NEW_TOFU || undefined;
const newTerraform = process.env.CLUSTER_PLATFORM_TEST_NEW_TERRAFORM || undefined;

export const engines: readonly Engine[] = process.env.CLUSTER_PLATFORM_TEST_LACKS_NULL
  ? [Engine.TERRAFORM_DATA]
  : [Engine.TERRAFORM_DATA, Engine.NULL_RESOURCE];

/** A program and an engine. */
export interface Backend {
  readonly title: string;
  readonly binary: string;
  readonly engine: Engine;
  /** Whether the program is built for `npm run test:campaigns`, and used only there. */
  readonly isNewer: boolean;
}

function backendsOf(binary: string | undefined, called?: string, isNewer = false): Backend[] {
  if (binary === undefined) return [];
  return engines.map((engine) => ({ title: called ? `${engine} by ${called}` : engine, binary, engine, isNewer }));
}

/** All backends of this machine. Missing ones are reported. */
export const backends: readonly Backend[] = [...new Set([terraform, openTofu])].flatMap((binary) =>
  backendsOf(binary, binary !== undefined && isOpenTofu(binary) ? "OpenTofu" : undefined),
);

/** All backends, with those of the newer OpenTofu, for features that the other OpenTofu lacks. */
export const allBackends: readonly Backend[] = [...backends, ...backendsOf(newOpenTofu, "the newer OpenTofu", true)];

/** The newer Terraform, for tests of the provider. */
export const newTerraformBackends = backendsOf(newTerraform, "the newer Terraform", true).slice(0, 1);

/** One backend per program that has the null plugin. `terraform_data` works there too. */
export const nullResourceBackends = allBackends.filter(({ engine }) => engine === Engine.NULL_RESOURCE);

export const terraformBackends = backends.filter(({ binary }) => binary === terraform);

export const providerBackend: Backend = { title: "the provider", binary: terraform, engine: Engine.PROVIDER, isNewer: false };

/** The same, and by the newer Terraform. */
export const providerBackendsOfTerraform: readonly Backend[] = [
  providerBackend,
  ...newTerraformBackends.map((backend) => ({
    ...backend,
    title: "the provider by the newer Terraform",
    engine: Engine.PROVIDER,
  })),
];

/** The same, and by OpenTofu where this machine has it. */
export const providerBackends: readonly Backend[] = [
  providerBackend,
  ...(openTofu === undefined ? [] : [{ ...providerBackend, title: "the provider by OpenTofu", binary: openTofu }]),
];

/** The newer OpenTofu with each engine, for what only it can do. */
export const newOpenTofuBackends: readonly Backend[] = allBackends
  .filter(({ binary }) => binary === newOpenTofu)
  .flatMap((backend) =>
    backend.engine === Engine.TERRAFORM_DATA
      ? [backend, { ...backend, title: "the provider by the newer OpenTofu", engine: Engine.PROVIDER }]
      : [backend],
  );

/** A provider with an action and an ephemeral resource, see test/plugin/extras. */
export const extrasProvider = process.env.CLUSTER_PLATFORM_TEST_EXTRAS || undefined;

export function isOpenTofu(binary: string): boolean {
  return /tofu(\.exe)?$/.test(binary);
}

/** Whether a program's version is at least 1.`minor`. */
export function isAtLeast(binary: string, minor: { readonly terraform: number; readonly openTofu: number }): boolean {
  const { stdout } = spawnSync(binary, ["version"], { encoding: "utf8" });
  const [, product, found] = /^(Terraform|OpenTofu) v1\.(\d+)/m.exec(stdout)!;
  return Number(found) >= (product === "Terraform" ? minor.terraform : minor.openTofu);
}
