import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { terraform } from "../support/tools";
import { execute, type Outcome, type RunOptions } from "../terraform/workspace";

const CDKTF = resolve("node_modules/cdktf-cli/bundle/bin/cdktf");

/** A folder that the real cdktf command line runs in, as a person at a project would run it. */
export class Project {
  /** This repository as it stands, but with output and state of its own. */
  static ofThisRepository(env: NodeJS.ProcessEnv, folder?: string): Project {
    const project = new Project(env, folder);
    for (const entry of ["cdktf.json", "tsconfig.json", "package.json", "node_modules", "src", "dist", "examples"]) {
      symlinkSync(resolve(entry), join(project.folder, entry));
    }
    return project;
  }

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    readonly folder = mkdtempSync(join(tmpdir(), "cluster-platform-cdktf-")),
  ) {}

  async cdktf(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const env = {
      TERRAFORM_BINARY_NAME: terraform,
      DISABLE_VERSION_CHECK: "1",
      // Without it the output is redrawn over and over, as on a terminal.
      CI: "true",
      // The app of a cdktf.json is run by npx, which takes half a second to find what is there.
      PATH: `${resolve("test/cdktf-cli/bin")}:${process.env.PATH}`,
      CDKTF_HOME: join(this.folder, ".cdktf"),
      TF_CLI_ARGS: "",
      ...this.env,
      ...options.env,
    };
    const outcome = await execute(process.execPath, [CDKTF, ...args], this.folder, env, options);
    return { ...outcome, output: stripVTControlCharacters(outcome.output) };
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
