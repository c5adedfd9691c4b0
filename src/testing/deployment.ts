import { spawn } from "node:child_process";
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import type { TerraformStack } from "cdktf";
import { platformOfPrefix } from "../contract/addresses";
import { readSynthesized } from "../synthesized/folder";
import { synthesizedPlatforms } from "../synthesized/platforms";
import { baseUrlIn } from "../model/base-url";
import { ConfigurationError } from "../model/errors";
import { synthesizedFolder } from "./synthesized-input";

/** The options of a {@link Deployment}. */
export interface DeploymentOptions {
  /** The service that Terraform's runs use, such as the one that `startSimulator` starts. */
  readonly service: { readonly url: string; readonly token: string };
  /** Environment variables of the runs besides those of this process, such as the stack's secrets. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** The program. @default - the result of {@link terraformOnPath} */
  readonly terraform?: string;
}

/**
 * The path of the first of `terraform` and `tofu` on the PATH. If the variable TERRAFORM_BINARY_NAME is set, as for cdktf, only
 * this program counts. Undefined if there is none.
 */
export function terraformOnPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const names = env.TERRAFORM_BINARY_NAME ? [env.TERRAFORM_BINARY_NAME] : ["terraform", "tofu"];
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const suffix = process.platform === "win32" ? ".exe" : "";
  return names.flatMap((name) => folders.map((folder) => join(folder, name + suffix))).find(isExecutable);
}

/**
 * Applies and destroys stacks with the real Terraform in a temporary folder. The state is a file there, whatever backend the stack
 * has. The runs get no variable `CLUSTER_PLATFORM_…` of this process, so they reach no other service than the given one.
 */
export class Deployment {
  readonly #root = mkdtempSync(join(tmpdir(), "cluster-platform-deployment-"));
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #url: string;

  /** @throws INVALID_SETTING if there is no Terraform, or if the service has no URL or token */
  constructor({ service, env, terraform = terraformOnPath() }: DeploymentOptions) {
    const { url, token }: Partial<DeploymentOptions["service"]> = service ?? {};
    if (!url || !token) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        "'service' must have a url and a token, as the result of startSimulator() has",
      );
    }
    if (terraform === undefined) {
      throw new ConfigurationError("INVALID_SETTING", "neither terraform nor tofu is on the PATH: see terraformOnPath()");
    }
    this.#program = terraform;
    this.#url = url;
    const kept = Object.entries(process.env).filter(([name]) => !/^(CLUSTER_PLATFORM_|TF_(WORKSPACE|DATA_DIR)$)/.test(name));
    this.#env = {
      ...Object.fromEntries(kept),
      CHECKPOINT_DISABLE: "1",
      TF_IN_AUTOMATION: "1",
      ...env,
      CLUSTER_PLATFORM_URL: url,
      CLUSTER_PLATFORM_TOKEN: token,
    };
  }

  /**
   * Applies a stack. Another call applies the changed stack to the same state.
   * @param stack the construct, or the path of a synthesized folder
   * @returns the output of Terraform and the hooks
   * @throws INVALID_SETTING if a Platform of the stack has the `url` of another service
   * @throws Error with the output if the run fails
   */
  async apply(stack: TerraformStack | string): Promise<string> {
    const from = synthesizedFolder(stack);
    this.#refuseOtherServices(from);
    mkdirSync(this.#folder, { recursive: true });
    cpSync(from, this.#folder, { recursive: true, filter: (path) => !/^\.terraform$|\.tfstate/.test(basename(path)) });
    const backend = { local: { path: join(this.#root, "terraform.tfstate") } };
    writeFileSync(join(this.#folder, "testing_override.tf.json"), JSON.stringify({ terraform: { backend } }));
    await this.#run("init");
    return this.#run("apply", "-auto-approve");
  }

  /**
   * Destroys what the last apply has left. It is refused while a cluster is protected, as with `terraform destroy`.
   * @returns the output of Terraform and the hooks
   * @throws Error with the output if the run fails
   */
  destroy(): Promise<string> {
    return this.#run("destroy", "-auto-approve");
  }

  /** Removes the temporary folder with the state. The service keeps its objects. */
  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  get #folder(): string {
    return join(this.#root, "stack");
  }

  #refuseOtherServices(folder: string): void {
    for (const { prefix, settings } of synthesizedPlatforms(readSynthesized(folder))) {
      const { url } = settings.connection;
      if (url === undefined || baseUrlIn(url) === baseUrlIn(this.#url)) continue;
      throw new ConfigurationError(
        "INVALID_SETTING",
        `the Platform '${platformOfPrefix(prefix)}' has the url ${url}, so this run would change the objects of that service, and not of ` +
          `${this.#url}: leave out 'url' in the test, or set it to the url of the test's service; nothing was applied`,
      );
    }
  }

  #run(command: string, ...args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(this.#program, [command, "-input=false", "-no-color", ...args], {
        cwd: this.#folder,
        env: this.#env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
      child.on("error", reject);
      child.on("close", (code) => {
        if (code === 0) resolve(output);
        else reject(new Error(`terraform ${command} failed with exit code ${code}:\n${output}`));
      });
    });
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
