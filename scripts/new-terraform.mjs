import { builtFromModule, withoutBackends } from "./go.mjs";

/** The module proxy does not have the modules of these backends. */
const BACKENDS = ["Azure", "Consul", "Cos", "GCS", "Kubernetes", "OCI", "OSS", "Pg", "S3"];

const withoutOtherModules = (text) =>
  text
    .replace(/^replace .*\n/gm, "")
    .replace(/^\tgithub\.com\/hashicorp\/terraform\/internal\/.*\n/gm, "")
    .replace(/^tool \([^)]*\)\n/m, "");

/** A newer Terraform, without the backends whose modules the proxy lacks. */
export const newTerraform = () =>
  builtFromModule({
    name: "Terraform",
    module: "github.com/hashicorp/terraform",
    version: "1.16.0",
    program: "terraform",
    edits: { "go.mod": withoutOtherModules, "internal/backend/init/init.go": withoutBackends(BACKENDS) },
    options: ["-mod=mod"],
  });
