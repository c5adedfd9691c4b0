import type { TerraformStack } from "cdktf";
import type { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator";
import { cluster, provider, secrets } from "../support/capvs";
import { PAUSES_SKIPPED } from "../support/pauses";
import { accessTo, happenedOn, writesTo } from "../support/service";
import { type Backend, backends } from "../support/tools";
import { Foreigners, violations } from "./invariants";
import { type Outcome, type RunOptions, Workspace } from "./workspace";

export interface StackFixtureOptions extends SimulatorOptions {
  /** @default - the first backend of the machine, on terraform_data */
  readonly backend?: Backend;
  /** For every run, in addition to the service's address and the secrets. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether hooks and the provider really wait between polls. */
  readonly pausesAreReal?: boolean;
  /** @default - {@link AMPLE} */
  readonly timeouts?: PlatformProps["timeouts"];
}

/** Enough time on a busy machine. */
export const AMPLE = { requestSeconds: 30, createSeconds: 60, deleteSeconds: 60, readySeconds: 60 };

/** A service, and a stack that is applied against it. Fixtures share nothing, so any number can run at the same time. */
export class StackFixture {
  static async open({
    backend = backends[0]!,
    env,
    pausesAreReal = false,
    timeouts = AMPLE,
    ...options
  }: StackFixtureOptions = {}) {
    const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0, ...options });
    const pauses = pausesAreReal ? {} : PAUSES_SKIPPED;
    return new StackFixture(simulator, backend, { ...accessTo(simulator), ...secrets, ...pauses, ...env }, timeouts);
  }

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
  /** Objects of other owners on the service. */
  readonly foreigners: Foreigners;
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

  /** Fails if a request to the service has broken an invariant. */
  verify(): void {
    expect(violations(this.simulator, this.foreigners)).toEqual([]);
  }

  async close(): Promise<void> {
    for (const workspace of [this.workspace, ...this.others]) workspace.remove();
    await this.simulator.close();
  }

  get engine(): Engine {
    return this.backend.engine;
  }

  anotherWorkspace(): Workspace {
    const workspace = new Workspace(this.env, this.backend.binary);
    this.others.push(workspace);
    return workspace;
  }

  /** Protects nothing by default. */
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

  declareNothing(props: PlatformProps = {}): this {
    this.workspace.synth((stack) => void this.platform(stack, props));
    return this;
  }

  address(name: string): string {
    return `${this.engine}.capvs_clusters["${name}"]`;
  }

  /** Expects the apply to succeed. Returns its output in one line. */
  async applied(options?: RunOptions): Promise<string> {
    return succeeded(await this.workspace.apply(options));
  }

  /** Expects the apply to fail. Returns its output in one line. */
  async failed(options?: RunOptions): Promise<string> {
    return failed(await this.workspace.apply(options));
  }

  /** One apply reaches the declared state, and the next plan is empty. */
  async converges(options?: RunOptions): Promise<string> {
    const output = await this.applied(options);
    expect(await this.workspace.plan()).toEqual([]);
    return output;
  }

  /** The events of the service in order: `+prod`, `-prod`. */
  happened(): string[] {
    return happenedOn(this.simulator);
  }

  live(): string[] {
    return [...this.simulator.providers, ...this.simulator.clusters].map(({ name }) => name).sort();
  }

  /** Such as `POST /api/v1/…`. */
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

/** Expects the lines in this order. */
export function follow(output: string, ...lines: readonly string[]): void {
  const places = lines.map((line) => {
    expect(output).toContain(line);
    return output.indexOf(line);
  });
  expect(places).toEqual(places.toSorted((one, other) => one - other));
}
