import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cluster, provider } from "../support/capvs";
import { grounds, terraform } from "../support/tools";
import { plays, playsOn } from "./plays";
import type { Stage } from "./stage";

/**
 * States as released versions wrote them. A new version must find nothing to do in any of them. Never change one; when
 * the package declares more, add the state of that version with `WRITE_STATE=<version> npx jest package-upgrade`.
 */
const VERSIONS = ["0.1.0"];

const fileOf = (version: string, engine: string) => join(__dirname, "states", `${version}-${engine}.tfstate`);

function declare(stage: Stage): void {
  stage.workspace.synth((stack) => {
    stage.platform(stack, { deletionProtection: ["prod"], retain: ["old"] });
    const on = provider(stack);
    cluster(stack, "prod", on, { ingress: "apps.example.com" });
    cluster(stack, "stage", on, { waitForReady: false });
  });
}

const stateOf = ({ workspace }: Stage) => join(workspace.folder, "terraform.tfstate");

const playsByTerraform = playsOn(grounds.filter(({ binary }) => binary === terraform));
if (process.env.WRITE_STATE) {
  const version = process.env.WRITE_STATE;
  playsByTerraform(`version ${version} leaves a state`, async (stage) => {
    declare(stage);
    expect(existsSync(fileOf(version, stage.engine))).toBe(false);
    await stage.applied();
    copyFileSync(stateOf(stage), fileOf(version, stage.engine));
  });
}

for (const version of process.env.WRITE_STATE ? [] : VERSIONS) {
  plays(`a state that version ${version} wrote needs no change`, async (stage) => {
    declare(stage);
    const state = JSON.parse(readFileSync(fileOf(version, stage.engine), "utf8")) as object;
    // An older Terraform, or OpenTofu, refuses a state that a newer one wrote.
    writeFileSync(stateOf(stage), JSON.stringify({ ...state, terraform_version: "1.5.0" }));
    expect(await stage.workspace.plan()).toEqual([]);
  });
}
