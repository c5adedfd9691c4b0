import type { TerraformStack } from "cdktf";
import type { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { accessTo, happenedOn, writesTo } from "../support/service";
import { type Backend, backends } from "../support/tools";
import { Foreigners, violations } from "./invariants";
import { type Outcome, type RunOptions, Workspace } from "./workspace";

export interface StackFixtureOptions extends SimulatorOptions {
  /** @default - the first that the machine has, terraform_data */
  readonly backend?: Backend;
  /** Variables that every run gets besides the service's address and the secrets. */
  readonly env?: NodeJS.ProcessEnv;
  /** @default - {@link AMPLE} */
  readonly timeouts?: PlatformProps["timeouts"];
}

/** Time enough on a machine that does much else. */
export const AMPLE = { requestSeconds: 30, createSeconds: 60, deleteSeconds: 60, readySeconds: 60 };

/**
 * A service and a stack that is applied against it. Nothing is shared between two of them, so that any number can run
 * at the same time.
 */
export class StackFixture {
  static async open({ backend = backends[0]!, env, timeouts = AMPLE, ...options }: StackFixtureOptions = {}) {
    const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, ...options });
    return new StackFixture(simulator, backend, { ...accessTo(simulator), ...secrets, ...env }, timeouts);
  }

  /** Opens a fixture for a test and closes it afterwards. */
  static async run(options: StackFixtureOptions, act: (fixture: StackFixture) => Promise<void>): Promise<void> {
    const fixture = await StackFixture.open(options);
    try {
      await act(fixture);
      fixture.verify();
    } finally {
      await fixture.close();
    }
  }

  readonly workspace: Workspace;
  /** What lives on the service although this stack has nothing to do with it. */
  readonly foreigners: Foreigners;
  /** Names that two create at once. */
  readonly contested = new Set<string>();
  private readonly others: Workspace[] = [];

  private constructor(
    readonly simulator: Simulator,
    readonly backend: Backend,
    private readonly env: NodeJS.ProcessEnv,
    private readonly timeouts: PlatformProps["timeouts"],
  ) {
    this.workspace = new Workspace(env, backend.binary);
    this.foreigners = new Foreigners(simulator);
  }

  /** Fails if the service saw anything that must never happen. */
  verify(): void {
    expect(violations(this.simulator, this.foreigners, this.contested)).toEqual([]);
  }

  async close(): Promise<void> {
    for (const workspace of [this.workspace, ...this.others]) workspace.remove();
    await this.simulator.close();
  }

  get engine(): Engine {
    return this.backend.engine;
  }

  /** Another folder with a state of its own, on the same service. */
  anotherWorkspace(): Workspace {
    const workspace = new Workspace(this.env, this.backend.binary);
    this.others.push(workspace);
    return workspace;
  }

  /** A Platform that protects nothing unless `props` say otherwise. */
  platform(stack: TerraformStack, props: PlatformProps = {}, id = "platform"): Platform {
    const { engine, timeouts } = this;
    return new Platform(stack, id, { engine, pollSeconds: 0.2, timeouts, deletionProtection: false, ...props });
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

  /** A Platform without any object. */
  declareNothing(props: PlatformProps = {}): this {
    this.workspace.synth((stack) => void this.platform(stack, props));
    return this;
  }

  /** Address of a cluster's instance. */
  address(name: string): string {
    return `${this.engine}.capvs_clusters["${name}"]`;
  }

  /** What an apply that has to succeed says, in one line. */
  async applied(options?: RunOptions): Promise<string> {
    return succeeded(await this.workspace.apply(options));
  }

  /** What an apply that has to fail says, in one line. */
  async failed(options?: RunOptions): Promise<string> {
    return failed(await this.workspace.apply(options));
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

export function succeeded({ status, output }: Outcome): string {
  expect({ status, output }).toEqual({ status: 0, output });
  return inOneLine(output);
}

export function failed({ status, output }: Outcome): string {
  expect({ status, output }).toEqual({ status: 1, output });
  return inOneLine(output);
}

/** Terraform breaks the lines of errors and frames them. */
export function inOneLine(output: string): string {
  return output.replace(/\s*\n[│\s]*/g, " ");
}
