import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, LocalBackend, TerraformStack } from "cdktf";
import type { Synthesized } from "../support/synth";
import { terraform } from "../support/tools";

export interface Outcome {
  readonly status: number | null;
  /** The output of Terraform and the hooks, without colours. */
  readonly output: string;
}

export interface PlannedChange {
  readonly address: string;
  readonly actions: readonly string[];
  readonly change: { before: Record<string, unknown> | null; after: Record<string, unknown> | null };
}

/** A folder with a configuration and its state, and the real Terraform. */
export abstract class TerraformFolder {
  readonly folder = mkdtempSync(join(tmpdir(), "cluster-platform-"));

  /** Runs Terraform to its end. */
  abstract run(args: readonly string[], options?: RunOptions): Promise<Outcome>;

  get stateFile(): string {
    return join(this.folder, "terraform.tfstate");
  }

  /** Empty before the first apply. */
  state(): string {
    return existsSync(this.stateFile) ? readFileSync(this.stateFile, "utf8") : "";
  }

  /** The file is empty while Terraform writes it. */
  hasIntactState(): boolean {
    if (!existsSync(this.stateFile)) return true;
    try {
      JSON.parse(this.state());
      return true;
    } catch {
      return false;
    }
  }

  apply(options: RunOptions = {}): Promise<Outcome> {
    return this.run(["apply", "-auto-approve", "-input=false", ...(options.args ?? [])], options);
  }

  destroy(options: RunOptions = {}): Promise<Outcome> {
    return this.run(["destroy", "-auto-approve", "-input=false", ...(options.args ?? [])], options);
  }

  /** The changes without no-ops, and what the plan says. */
  async planned(options: RunOptions = {}): Promise<{ changes: PlannedChange[]; output: string }> {
    const file = join(this.folder, "plan");
    const args = ["plan", "-input=false", "-detailed-exitcode", `-out=${file}`, ...(options.args ?? [])];
    const { status, output } = await this.run(args, options);
    if (status === 0) return { changes: [], output };
    // Exit code 2 means that the plan has changes.
    if (status !== 2) throw new Error(output);
    const shown = await this.run(["show", "-json", file], { ...options, quiet: true });
    const { resource_changes = [] } = JSON.parse(shown.output) as {
      resource_changes?: (Pick<PlannedChange, "address"> & {
        change: Omit<PlannedChange, "address"> & PlannedChange["change"];
      })[];
    };
    const changes = resource_changes.map(({ address, change }) => ({ address, actions: change.actions, change }));
    return { changes: changes.filter(({ actions }) => actions.join() !== "no-op"), output };
  }
}

/** A folder with a synthesized stack and its state, and the real Terraform. */
export class Workspace extends TerraformFolder {
  private initialized = "";

  constructor(
    /** Added to the environment of every run. */
    readonly env: NodeJS.ProcessEnv = {},
    readonly binary = terraform,
  ) {
    super();
  }

  get stackFolder(): string {
    return join(this.folder, "cdktf.out/stacks/test");
  }

  synth(declare: (stack: TerraformStack) => void): this {
    const app = new App({ outdir: join(this.folder, "cdktf.out") });
    const stack = new TerraformStack(app, "test");
    new LocalBackend(stack, { path: this.stateFile });
    declare(stack);
    app.synth();
    return this;
  }

  synthesized(): Omit<Synthesized, "entries"> {
    return JSON.parse(readFileSync(join(this.stackFolder, "cdk.tf.json"), "utf8")) as Synthesized;
  }

  /** Without no-ops. */
  async plan(options?: RunOptions): Promise<PlannedChange[]> {
    return (await this.planned(options)).changes;
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const env = { ...this.pluginEnvironment(), ...this.env, ...options.env };
    const refused = await this.init(env);
    if (refused) return refused;
    return execute(this.binary, args, this.stackFolder, env, options);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns the outcome only if it is a failure. */
  private async init(env: NodeJS.ProcessEnv): Promise<Outcome | undefined> {
    const providers = JSON.stringify(this.requiredProviders());
    if (this.initialized === providers) return undefined;
    const outcome = await execute(this.binary, ["init", "-input=false"], this.stackFolder, env, {});
    if (outcome.status !== 0) return outcome;
    this.initialized = providers;
    return undefined;
  }

  private requiredProviders(): object {
    return this.synthesized().terraform.required_providers ?? {};
  }

  /**
   * Without a CLI configuration, Terraform finds the stack's own plugin. If the stack also needs the null plugin, the machine's
   * configuration says where that is. Terraform then does not look into the stack's folder, so the configuration must name that
   * folder too.
   */
  private pluginEnvironment(): NodeJS.ProcessEnv {
    const required = Object.keys(this.requiredProviders());
    // With TLS, Terraform and the null plugin make keys at each start. A plan then takes twice the processor time.
    if (!required.includes("clusterplatform")) return { TF_DISABLE_PLUGIN_TLS: "1" };
    const needsAnother = required.length > 1 || this.state().includes("hashicorp/null");
    const ofMachine = needsAnother ? process.env.TF_CLI_CONFIG_FILE : undefined;
    const mirror = `filesystem_mirror {\n    path = ${JSON.stringify(join(this.stackFolder, "terraform.d/plugins"))}\n  }`;
    const config = ofMachine ? readFileSync(ofMachine, "utf8").replace("{", `{\n  ${mirror}`) : "";
    const file = join(this.folder, "cli.tfrc");
    writeFileSync(file, config);
    return { TF_CLI_CONFIG_FILE: file };
  }
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  /** Gets the process, for example to kill it. */
  readonly started?: (process: ChildProcess) => void;
  /** Returns standard output only, for parsing. */
  readonly quiet?: boolean;
}

export function execute(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  options: Pick<RunOptions, "started" | "quiet">,
): Promise<Outcome> {
  // Additional certificate authorities double the start time of a hook, and no test needs them.
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...inherited, TF_CLI_ARGS: "-no-color", TF_IN_AUTOMATION: "1", CHECKPOINT_DISABLE: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (data: Buffer) => (output += data.toString()));
    if (!options.quiet) child.stderr.on("data", (data: Buffer) => (output += data.toString()));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
    options.started?.(child);
  });
}
