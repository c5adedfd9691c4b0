import type { TerraformStack } from "cdktf";
import type { Engine } from "../../src/constructs/platform-resources";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo, happenedOn, writesTo } from "../support/service";
import { inOneLine } from "./stage";
import { Workspace, type RunOptions } from "./workspace";

/** A service, a stack on it, and what happened there. */
export class Scene {
  private readonly others: Workspace[] = [];

  private constructor(
    readonly simulator: Simulator,
    readonly workspace: Workspace,
    private readonly engine: Engine,
  ) {}

  static async open(engine: Engine, options: SimulatorOptions = {}, env: NodeJS.ProcessEnv = {}): Promise<Scene> {
    const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0.1, ...options });
    return new Scene(simulator, new Workspace({ ...accessTo(simulator), ...secrets, ...env }), engine);
  }

  async close(): Promise<void> {
    for (const workspace of [this.workspace, ...this.others]) workspace.remove();
    await this.simulator.close();
  }

  /** Another folder with a state of its own, on the same service. */
  anotherWorkspace(): Workspace {
    const workspace = new Workspace({ ...accessTo(this.simulator), ...secrets });
    this.others.push(workspace);
    return workspace;
  }

  platform(stack: TerraformStack, props: PlatformProps = {}): Platform {
    return new Platform(stack, "platform", {
      engine: this.engine,
      pollSeconds: 0.2,
      timeouts: { createSeconds: 10, deleteSeconds: 2, readySeconds: 20 },
      ...props,
    });
  }

  /** Synthesizes a provider with clusters on it; none of both for no names. */
  declare(names: readonly string[], props: PlatformProps = {}): void {
    this.workspace.synth((stack) => {
      this.platform(stack, props);
      if (names.length === 0) return;
      const on = provider(stack);
      names.forEach((name) => cluster(stack, name, on));
    });
  }

  async applied(options?: RunOptions): Promise<string> {
    return succeeded(await this.workspace.apply(options));
  }

  async refused(options?: RunOptions): Promise<string> {
    return failed(await this.workspace.apply(options));
  }

  /** What really happened to objects, in order: `+prod`, `-prod`. */
  happened(): string[] {
    return happenedOn(this.simulator);
  }

  /** Names of what lives, providers last. */
  live(): string[] {
    const names = (objects: readonly { name: string }[]) => objects.map(({ name }) => name).sort();
    return [...names(this.simulator.clusters), ...names(this.simulator.providers)];
  }

  /** Requests that were to change something. */
  writes(): string[] {
    return writesTo(this.simulator);
  }
}

export function succeeded({ status, output }: { status: number | null; output: string }): string {
  expect({ status, output }).toEqual({ status: 0, output });
  return inOneLine(output);
}

export function failed({ status, output }: { status: number | null; output: string }): string {
  expect({ status, output }).toEqual({ status: 1, output });
  return inOneLine(output);
}
