import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { terraform } from "../support/tools";
import { execute, type Outcome, type RunOptions } from "../terraform/workspace";

const CDKTF = [process.execPath, resolve("node_modules/cdktf-cli/bundle/bin/cdktf")] as const;

/** A project folder for the real cdktf command line. */
export class Project {
  /** This repository's program, with its own output and state. */
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
    private readonly cli: readonly [program: string, script: string] = CDKTF,
  ) {}

  async cdktf(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const env = {
      TERRAFORM_BINARY_NAME: terraform,
      DISABLE_VERSION_CHECK: "1",
      // cdktf then prints lines instead of redrawing a terminal.
      CI: "true",
      // Replaces the npx of cdktf.json, which takes half a second to find a local program.
      PATH: `${resolve("test/cdktf-cli/bin")}:${process.env.PATH}`,
      CDKTF_HOME: join(this.folder, ".cdktf"),
      TF_CLI_ARGS: "",
      ...this.env,
      ...options.env,
    };
    const [program, script] = this.cli;
    const outcome = await execute(program, [script, ...args], this.folder, env, options);
    return { ...outcome, output: stripVTControlCharacters(outcome.output) };
  }

  /** Resolves when Terraform has released the lock of the quickstart's state, which may be after the command line has ended. */
  async stateIsFree(): Promise<void> {
    while (existsSync(join(this.folder, ".terraform.quickstart.tfstate.lock.info"))) await delay(100);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
