import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { App, LocalBackend, TerraformStack } from "cdktf";
import { terraformBinary } from "../scripts/terraform-binary.mjs";
import { type Program, timed } from "./processes";

const terraform = terraformBinary();

const STATE = "terraform.tfstate";

export interface State {
  readonly resources: readonly {
    readonly name: string;
    readonly instances: readonly { readonly index_key?: string }[];
  }[];
}

type Json = { readonly [key: string]: unknown };
interface Provisioner {
  readonly "local-exec": { interpreter: string[]; command: string; when?: string };
}

/** A folder with a configuration and its state, and Terraform. */
export class Stack {
  static async ofClusters(count: number, pollSeconds?: number): Promise<Stack> {
    const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
    await timed(synth("ours", count, outdir, pollSeconds));
    return new Stack(join(outdir, "stacks/bench"), outdir);
  }

  /** A stack that `declare` fills. */
  static async declared(declare: (stack: TerraformStack) => void): Promise<Stack> {
    const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
    const app = new App({ outdir });
    const stack = new TerraformStack(app, "bench");
    new LocalBackend(stack, { path: STATE });
    declare(stack);
    app.synth();
    return new Stack(join(outdir, "stacks/bench"), outdir);
  }

  /** A stack of plain Terraform configuration. */
  static of(configuration: object): Stack {
    const folder = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
    const stack = new Stack(folder, folder);
    stack.write(configuration);
    return stack;
  }

  /** A copy with its state. It needs an init. */
  copy(): Stack {
    const root = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
    cpSync(this.root, root, { recursive: true, filter: (source) => !source.endsWith(".terraform") });
    return new Stack(join(root, relative(this.root, this.folder)), root);
  }

  private constructor(
    readonly folder: string,
    private readonly root: string,
  ) {}

  read(): Json {
    return JSON.parse(readFileSync(join(this.folder, "cdk.tf.json"), "utf8")) as Json;
  }

  write(configuration: object): void {
    writeFileSync(join(this.folder, "cdk.tf.json"), JSON.stringify(configuration));
  }

  readState(): State {
    return JSON.parse(readFileSync(join(this.folder, STATE), "utf8")) as State;
  }

  writeState(state: State): void {
    writeFileSync(join(this.folder, STATE), JSON.stringify(state));
  }

  terraform(...args: readonly string[]): Program {
    return { command: terraform, args, cwd: this.folder, env: { TF_CLI_ARGS: "-no-color" } };
  }

  async init(): Promise<this> {
    await timed(this.terraform("init", "-input=false"));
    return this;
  }

  /** An apply without a state. */
  apply(): Program {
    return { ...this.update(), prepare: () => this.forget() };
  }

  /** An apply to the state as it is. */
  update(...options: readonly string[]): Program {
    return this.terraform("apply", "-input=false", "-auto-approve", ...options);
  }

  destroy(): Program {
    return this.terraform("destroy", "-input=false", "-auto-approve");
  }

  /** The exit code of the plan tells whether it has changes. */
  plan(): Program {
    return this.terraform("plan", "-input=false", "-detailed-exitcode");
  }

  /** An update of the state without running hooks. */
  async updateState(): Promise<void> {
    const configuration = this.read();
    this.write(withoutProvisioners(configuration));
    await timed(this.update());
    this.write(configuration);
  }

  /** The hook program with the environment that Terraform gives it. Terraform runs another program in its place to find out. */
  async hook(command: string): Promise<Program> {
    const file = join(this.root, `${command}.json`);
    const keeping = ["node", join(__dirname, "programs/keep-environment.mjs"), file];
    const configuration = this.read();
    this.write(
      mapProvisioners(configuration, (provisioner) => {
        const hook = provisioner["local-exec"];
        const [, ...rest] = hook.interpreter;
        return { "local-exec": { ...hook, interpreter: hook.command === command ? [...keeping, ...rest] : ["node", "-e", "0"] } };
      }),
    );
    await timed(this.apply());
    this.write(configuration);
    const { args, cwd, env } = JSON.parse(readFileSync(file, "utf8")) as { args: string[]; cwd: string; env: never };
    return { command: process.execPath, args, cwd, env };
  }

  forget(): void {
    for (const name of [STATE, `${STATE}.backup`, ".cluster-platform"]) {
      rmSync(join(this.folder, name), { recursive: true, force: true });
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function synth(what: "ours" | "bare", count: number, outdir: string, pollSeconds?: number): Program {
  const more = pollSeconds === undefined ? [] : [String(pollSeconds)];
  return { command: process.execPath, args: [join(__dirname, "programs/synth.mjs"), what, String(count), outdir, ...more] };
}

function withoutProvisioners(configuration: Json): object {
  return mapBlocks(configuration, ({ provisioner: _, ...block }) => block);
}

function mapProvisioners(configuration: Json, change: (provisioner: Provisioner) => Provisioner): object {
  return mapBlocks(configuration, ({ provisioner, ...block }) => ({
    ...block,
    ...(provisioner !== undefined && { provisioner: (provisioner as Provisioner[]).map(change) }),
  }));
}

function mapBlocks(configuration: Json, change: (block: { provisioner?: unknown }) => object): object {
  const resource = Object.fromEntries(
    Object.entries(configuration.resource as Record<string, Record<string, object>>).map(([type, blocks]) => [
      type,
      Object.fromEntries(Object.entries(blocks).map(([id, block]) => [id, change(block)])),
    ]),
  );
  return { ...configuration, resource };
}
