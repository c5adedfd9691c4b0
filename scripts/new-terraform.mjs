import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:os";
import { builtFromProxy, go, hasGo } from "./go.mjs";
import { cached } from "./tool-cache.mjs";

const VERSION = "1.16.0";

/** The module proxy does not have the modules of these backends. */
const BACKENDS = ["Azure", "Consul", "Cos", "GCS", "Kubernetes", "OCI", "OSS", "Pg", "S3"];

/** A newer Terraform, without the backends whose modules the proxy lacks. */
export function newTerraform() {
  const program = platform() === "win32" ? "terraform.exe" : "terraform";
  return builtFromProxy(`Terraform ${VERSION}`, async () => {
    const folder = await cached(`terraform-${VERSION}`, async (draft) => {
      if (!hasGo()) throw new Error("there is no Go");
      console.log(`building Terraform ${VERSION}, once on this machine …`);
      const sources = join(draft, "sources");
      const download = await go(["mod", "download", "-json", `github.com/hashicorp/terraform@v${VERSION}`]);
      cpSync(JSON.parse(download).Dir, sources, { recursive: true });
      withoutOtherModules(sources);
      const options = [
        "-mod=mod",
        "-buildvcs=false",
        "-trimpath",
        "-ldflags=-s -X github.com/hashicorp/terraform/version.dev=no",
      ];
      await go(["build", "-C", sources, ...options, "-o", join(draft, program)], { minutes: 30 });
      rmSync(sources, { recursive: true });
    });
    return join(folder, program);
  });
}

function withoutOtherModules(sources) {
  edit(join(sources, "go.mod"), (text) =>
    text
      .replace(/^replace .*\n/gm, "")
      .replace(/^\tgithub\.com\/hashicorp\/terraform\/internal\/.*\n/gm, "")
      .replace(/^tool \([^)]*\)\n/m, ""),
  );
  const lines = new RegExp(`^.*\\bbackend(${BACKENDS.join("|")})\\b.*\\n`, "gm");
  edit(join(sources, "internal/backend/init/init.go"), (text) => text.replace(lines, ""));
}

function edit(file, change) {
  // Files of the module cache can only be read.
  const text = change(readFileSync(file, "utf8"));
  rmSync(file);
  writeFileSync(file, text);
}
