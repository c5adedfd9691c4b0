import { App, TerraformStack } from "cdktf";
import { Engine, Platform } from "cdktf-cluster-platform";
import { capbd } from "./capbd";
import { capcd } from "./capcd";
import { capos } from "./capos";
import { capov } from "./capov";
import { capsmv2 } from "./capsmv2";
import { capvs } from "./capvs";
import { capyc } from "./capyc";

// One provider and one cluster of each type. `.env.example` lists the variables that Terraform needs.
const app = new App();
const stack = new TerraformStack(app, "all-types");

// The URL of the service comes from CLUSTER_PLATFORM_URL when Terraform runs.
new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });

for (const declare of [capvs, capov, capbd, capos, capsmv2, capyc, capcd]) declare(stack);

app.synth();
