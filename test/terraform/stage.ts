import type { TerraformStack } from "cdktf";
import type { Engine } from "../../src/constructs/platform-resources";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo, happenedOn, writesTo } from "../support/service";
import { type Ground, grounds } from "../support/tools";
import { Foreigners, violations } from "./invariants";
import { type RunOptions, Workspace } from "./workspace";

export interface StageOptions extends SimulatorOptions {
  /** @default - the first that the machine has, terraform_data */
  readonly ground?: Ground;
}

/** Time enough on a machine that does much else. */
export const AMPLE = { requestSeconds: 30, createSeconds: 60, deleteSeconds: 60, readySeconds: 60 };

/**
 * A service of its own and a stack that is applied against it. Nothing is shared, so that any number of them can play
 * at the same time.
 */
export class Stage {
  readonly workspace: Workspace;
  /** What lives on the service although this stack has nothing to do with it. */
  readonly foreigners: Foreigners;
  /** Names that two create at once. */
  readonly contested = new Set<string>();
  private readonly others: Workspace[] = [];

  /** Plays on a stage, and looks at the end whether the service saw anything that must never happen. */
  static async play(options: StageOptions, act: (stage: Stage) => Promise<void>): Promise<void> {
    const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, ...options });
    const stage = new Stage(simulator, options.ground ?? grounds[0]!);
    try {
      await act(stage);
      expect(violations(simulator, stage.foreigners, stage.contested)).toEqual([]);
    } finally {
      for (const workspace of [stage.workspace, ...stage.others]) workspace.remove();
      await simulator.close();
    }
  }

  private constructor(
    readonly simulator: Simulator,
    readonly ground: Ground,
  ) {
    this.workspace = new Workspace(environmentFor(simulator), ground.binary);
    this.foreigners = new Foreigners(simulator);
  }

  get engine(): Engine {
    return this.ground.engine;
  }

  /** Another folder with a state of its own, on the same service. */
  anotherWorkspace(): Workspace {
    const workspace = new Workspace(environmentFor(this.simulator), this.ground.binary);
    this.others.push(workspace);
    return workspace;
  }

  platform(stack: TerraformStack, props: PlatformProps = {}): Platform {
    return new Platform(stack, "platform", { engine: this.engine, pollSeconds: 0.2, timeouts: AMPLE, ...props });
  }

  /** A Platform with the provider `vsphere` and clusters on it. */
  declare(names: readonly string[], props: PlatformProps = {}): this {
    this.workspace.synth((stack) => {
      this.platform(stack, props);
      const on = provider(stack);
      names.forEach((name) => cluster(stack, name, on));
    });
    return this;
  }

  /** Address of a cluster's instance. */
  address(name: string): string {
    return `${this.engine}.capvs_clusters["${name}"]`;
  }

  async applied(options?: RunOptions): Promise<string> {
    const { status, output } = await this.workspace.apply(options);
    if (status !== 0) throw new Error(`the apply failed:\n${output}`);
    return output;
  }

  /** What an apply that has to fail says, in one line. */
  async failed(options?: RunOptions): Promise<string> {
    const { status, output } = await this.workspace.apply(options);
    if (status === 0) throw new Error(`the apply did not fail:\n${output}`);
    return inOneLine(output);
  }

  /** One apply brings about what is declared, and then there is nothing to do. */
  async converges(options?: RunOptions): Promise<string> {
    const output = await this.applied(options);
    expect(await this.workspace.plan()).toEqual([]);
    return output;
  }

  /** What really happened to objects, in order: `+prod`, `-prod`. */
  happened(): string[] {
    return happenedOn(this.simulator);
  }

  /** Names of all objects on the service. */
  live(): string[] {
    return [...this.simulator.providers, ...this.simulator.clusters].map(({ name }) => name).sort();
  }

  /** Requests that change something, as in `POST /api/v1/…`. */
  writes(): string[] {
    return writesTo(this.simulator);
  }
}

function environmentFor(simulator: Simulator): NodeJS.ProcessEnv {
  return { ...accessTo(simulator), ...secrets };
}

/** Terraform breaks the lines of errors and frames them. */
export function inOneLine(output: string): string {
  return output.replace(/\s*\n[│\s]*/g, " ");
}
