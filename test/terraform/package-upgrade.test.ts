import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cluster, provider } from "../support/capvs";
import { backends, terraform } from "../support/tools";
import { testOn, testOnBackends } from "./test-on-backends";
import type { StackFixture } from "./stack-fixture";

/**
 * States as released versions wrote them. A new version must find nothing to do in any of them. Never change one; when
 * the package declares more, add the state of that version with `WRITE_STATE=<version> npx jest package-upgrade`.
 */
const VERSIONS = ["0.1.0"];

const fileOf = (version: string, engine: string) => join(__dirname, "states", `${version}-${engine}.tfstate`);

function declare(fixture: StackFixture): void {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack, { deletionProtection: ["prod"], retain: ["old"] });
    const on = provider(stack);
    cluster(stack, "prod", on, { ingress: "apps.example.com" });
    cluster(stack, "stage", on, { waitForReady: false });
  });
}

const stateOf = ({ workspace }: StackFixture) => join(workspace.folder, "terraform.tfstate");

const testByTerraform = testOn(backends.filter(({ binary }) => binary === terraform));
if (process.env.WRITE_STATE) {
  const version = process.env.WRITE_STATE;
  testByTerraform(`version ${version} leaves a state`, async (fixture) => {
    declare(fixture);
    expect(existsSync(fileOf(version, fixture.engine))).toBe(false);
    await fixture.applied();
    copyFileSync(stateOf(fixture), fileOf(version, fixture.engine));
  });
}

for (const version of process.env.WRITE_STATE ? [] : VERSIONS) {
  testOnBackends(`a state that version ${version} wrote needs no change`, async (fixture) => {
    declare(fixture);
    const state = JSON.parse(readFileSync(fileOf(version, fixture.engine), "utf8")) as object;
    // An older Terraform, or OpenTofu, refuses a state that a newer one wrote.
    writeFileSync(stateOf(fixture), JSON.stringify({ ...state, terraform_version: "1.5.0" }));
    expect(await fixture.workspace.plan()).toEqual([]);
  });
}
