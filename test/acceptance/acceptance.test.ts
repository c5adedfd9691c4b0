import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MIRROR } from "../../src/contract/plugin-package";
import { startSimulator } from "../../src/simulator";
import { located } from "../plugin/plugin-fixture";
import { notRun } from "../support/not-run";
import { accessTo } from "../support/service";
import { isAtLeast, newTerraformBackends, terraform } from "../support/tools";
import { execute } from "../terraform/workspace";
import { secrets, writeConfigurations } from "./configurations";

/**
 * HashiCorp's framework for acceptance tests of providers plays the tests in go/acceptance_test.go. Each one has a service of its
 * own.
 */

const program = process.env.CLUSTER_PLATFORM_TEST_ACCEPTANCE || undefined;
const goTests = [...readFileSync("test/acceptance/go/acceptance_test.go", "utf8").matchAll(/^func (Test\w+)/gm)];

const folder = mkdtempSync(join(tmpdir(), "acceptance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configurations = join(folder, "configurations");
const temporary = join(folder, "temporary");
// The framework links everything in the folder of the process into its own folders.
const empty = join(folder, "empty");
for (const each of [configurations, temporary, empty]) mkdirSync(each);
if (program) writeConfigurations(configurations);
const cliConfig = join(folder, "cli.tfrc");
const mirror = JSON.stringify(join(configurations, "first", MIRROR));
writeFileSync(cliConfig, `provider_installation {\n  filesystem_mirror {\n    path = ${mirror}\n  }\n}\n`);

/** Older versions of Terraform have no identities. */
const canPlay = (name: string, binary: string) =>
  !name.endsWith("ByIdentity") || isAtLeast(binary, { terraform: 12, openTofu: 12 });

const runs = [terraform, ...newTerraformBackends.map(({ binary }) => binary)].flatMap((binary) =>
  goTests
    .map(([, name]) => ({ name: name!, binary, by: binary === terraform ? "Terraform" : "the newer Terraform" }))
    .filter(({ name }) => canPlay(name, binary)),
);

/** The longest test runs Terraform some hundred times, beside others. Limits only stop tests that hang. */
const LIMIT_MINUTES = 40;

const play = async ({ name, binary }: (typeof runs)[number]) => {
  if (!program) {
    const why = "only npm run test:campaigns builds them, and TEST_BACKENDS=all npx jest";
    return notRun("HashiCorp's acceptance tests", why, { couldBeHad: true });
  }
  // The maximal goldens override bodies with fields that the interface does not have.
  const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, acceptUnknownFields: true });
  try {
    const env = {
      ...accessTo(simulator),
      ...secrets,
      ACCEPTANCE_CONFIGURATIONS: configurations,
      TF_ACC: "1",
      TF_ACC_TEMP_DIR: temporary,
      TF_ACC_TERRAFORM_PATH: located(binary),
      TF_CLI_CONFIG_FILE: cliConfig,
    };
    const args = ["-test.v", `-test.timeout=${LIMIT_MINUTES - 1}m`, `-test.run=^${name}$`];
    const { status, output } = await execute(resolve(program), args, empty, env, {});
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining(`--- PASS: ${name} `) });
  } finally {
    await simulator.close();
  }
};

test.concurrent.each(runs)("the provider passes $name of HashiCorp's framework by $by", play, LIMIT_MINUTES * 60_000);
