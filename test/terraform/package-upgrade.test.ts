import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { cluster, provider } from "../support/capvs";
import { carriers } from "../support/tools";
import { Stage } from "./stage";

/**
 * States as released versions wrote them. A new version must find nothing to do in any of them. Never change one; when
 * the package declares more, add the state of that version with `WRITE_STATE=<version> npx jest package-upgrade`.
 */
const VERSIONS = ["0.1.0"];

const fileOf = (version: string, carrier: string) => join(__dirname, "states", `${version}-${carrier}.tfstate`);

function declare(stage: Stage): void {
  stage.workspace.synth((stack) => {
    stage.platform(stack, { deletionProtection: ["prod"], retain: ["old"] });
    const on = provider(stack);
    cluster(stack, "prod", on, { ingress: "apps.example.com" });
    cluster(stack, "stage", on, { waitForReady: false });
  });
}

test.concurrent.each(carriers.flatMap((carrier) => VERSIONS.map((version) => [version, carrier] as const)))(
  "a state that version %s wrote on %s needs no change",
  (version, hookResource) =>
    Stage.play({ hookResource }, async (stage) => {
      declare(stage);
      const state = join(stage.workspace.folder, "terraform.tfstate");
      if (process.env.WRITE_STATE === version) {
        expect(existsSync(fileOf(version, hookResource))).toBe(false);
        await stage.applied();
        copyFileSync(state, fileOf(version, hookResource));
      }
      copyFileSync(fileOf(version, hookResource), state);
      expect(await stage.workspace.plan()).toEqual([]);
    }),
  300_000,
);
