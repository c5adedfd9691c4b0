import type { ChildProcess } from "node:child_process";
import type { TerraformStack } from "cdktf";
import type { CapvsClusterProps } from "../../src/constructs/types/capvs";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { platformPrefix, pluginResourceId, pluginResourceType } from "../../src/contract/addresses";
import { type ObjectEvent, type Simulator, startSimulator } from "../../src/simulator";
import { cluster, provider } from "../support/capvs";
import { writesTo } from "../support/service";
import { Foreigners, violations } from "./invariants";
import { hooksAt, killPlugins } from "./processes";
import { AMPLE } from "./stack-fixture";

/** The declaration of a row: whether it has its provider, and the clusters on it by name. */
export interface Declaration {
  readonly provider: boolean;
  readonly clusters: Readonly<Record<string, Partial<CapvsClusterProps>>>;
}

/** The request that a fault applies to, and the cluster of the transition. */
export interface Target {
  readonly write: "POST" | "DELETE";
  readonly name: string;
}

export interface Circumstances {
  /** Whether the failure's short times apply. */
  readonly failing: boolean;
  /** Changes the construct ids of the same declaration. */
  readonly suffix: string;
  /** Of all clusters but `stage`, which no transition changes. */
  readonly workers: number;
}

/** A row of the failures in test/world/tables.md. */
export interface Failure {
  /** The first cell of the row. */
  readonly title: string;
  /** Short times, for failures on timeout. */
  readonly timeouts?: PlatformProps["timeouts"];
  /** A failure of the run for all Platforms of a stack with the provider engine. Such a row has a stack of its own. */
  readonly onProvider?: "fails the plan" | "kills the plugin";
  inject(row: MatrixRow, target: Target): void;
}

export interface RowOptions {
  readonly failure: Failure;
  readonly engine: Engine;
}

/**
 * One row of the matrix on one engine: a Platform of the stack with a service and a failure of its own. So one apply tests a
 * transition under every failure.
 */
export class MatrixRow {
  static async open(id: string, { failure, engine, token }: RowOptions & { token: string }): Promise<MatrixRow> {
    return new MatrixRow(id, failure, engine, await startSimulator({ token, provisionSeconds: 0, deleteSeconds: 0 }));
  }

  readonly foreigners: Foreigners;
  /** Names that somebody else may take while they are being created. */
  readonly contested = new Set<string>();
  /** The running Terraform. */
  terraform: ChildProcess | undefined;

  private constructor(
    readonly id: string,
    readonly failure: Failure,
    readonly engine: Engine,
    readonly simulator: Simulator,
  ) {
    this.foreigners = new Foreigners(simulator);
  }

  get title(): string {
    return `${this.failure.title}, on ${this.engine}`;
  }

  /** Names are unique in a stack, whatever the Platform. */
  named(name: string): string {
    return `${this.id}-${name}`;
  }

  address(name: string): string {
    if (this.engine !== Engine.PROVIDER) return `${this.engine}.${this.id}_capvs_clusters["${this.named(name)}"]`;
    return `${pluginResourceType("capvs", "clusters")}.${pluginResourceId(platformPrefix(this.id), this.named(name))}`;
  }

  declare(stack: TerraformStack, declaration: Declaration, { failing, suffix, workers }: Circumstances): void {
    const platform = new Platform(stack, `${this.id}${suffix}`, {
      name: this.id,
      url: this.simulator.url,
      engine: this.engine,
      pollSeconds: 0.2,
      deletionProtection: false,
      timeouts: { ...AMPLE, ...(failing && this.failure.timeouts) },
    });
    if (!declaration.provider) return;
    const on = provider(platform, this.named("vsphere"), { id: `provider${suffix}` });
    for (const [name, props] of Object.entries(declaration.clusters)) {
      const group = { group: "default", count: name === "stage" ? 2 : workers, cpus: 4, memoryMib: 8192, diskGib: 60 };
      cluster(platform, this.named(name), on, { id: `${name}${suffix}`, workers: [group], ...props });
    }
  }

  inject({ write, name }: Target): void {
    this.failure.inject(this, { write, name: this.named(name) });
  }

  writes(): number {
    return writesTo(this.simulator).length;
  }

  heal(): void {
    this.simulator.heal();
    this.simulator.onRequest = undefined;
    this.simulator.onResponse = undefined;
    this.simulator.timing.provisionSeconds = 0;
    for (const name of this.foreigners.names) this.foreigners.remove(name);
  }

  /** Kills the hook or the plugin that works on a cluster. Returns whether there was one. */
  async kill(name: string): Promise<boolean> {
    if (this.engine === Engine.PROVIDER) return killPlugins(this.terraform!);
    const hooks = await hooksAt(this.simulator);
    const victims = hooks.filter((hook) => hook.name === name);
    victims.forEach(({ pid }) => process.kill(pid, "SIGKILL"));
    return victims.length > 0;
  }

  violations(): string[] {
    return violations(this.simulator, this.foreigners, this.contested);
  }

  eventsOf(name: string): readonly ObjectEvent[] {
    return this.simulator.events.filter((event) => event.name === this.named(name));
  }

  live(): string[] {
    return [...this.simulator.providers, ...this.simulator.clusters].map(({ name }) => name).sort();
  }

  expected({ provider, clusters }: Declaration): string[] {
    return provider ? ["vsphere", ...Object.keys(clusters)].map((name) => this.named(name)).sort() : [];
  }
}
