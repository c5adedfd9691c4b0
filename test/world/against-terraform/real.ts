import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NOTES_FOLDER } from "../../../src/host/notes-folder";
import { startSimulator, type Fault, type RecordedRequest, type Simulator } from "../../../src/simulator";
import { secrets } from "../../support/capvs";
import { PAUSES_SKIPPED } from "../../support/pauses";
import { accessTo } from "../../support/service";
import type { Backend } from "../../support/tools";
import { hooksAt, isAlive, killTerraform, pluginsOf } from "../../terraform/processes";
import { Workspace, type Outcome } from "../../terraform/workspace";
import { bodyOf } from "../programs";
import {
  addressOf,
  blockOf,
  declare,
  inOrder,
  isOfPlugin,
  nameOf,
  seenAttributes,
  seenObject,
  type Seen,
  type SeenInstance,
} from "./side";
import { idOf, type NamedFault, type Step, type StopAt } from "./steps";

/** How long other requests must be quiet before the plugin has nothing else to do, in milliseconds. */
const QUIET_MS = 1_000;
/** How long Terraform takes to tell the plugin to stop, in milliseconds. */
const TOLD_MS = 500;

/** The real Terraform, with hooks or the plugin, and the embedded service. */
export class RealSide {
  static async open({ binary }: Backend): Promise<RealSide> {
    const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
    return new RealSide(simulator, new Workspace({ ...accessTo(simulator), ...secrets, ...PAUSES_SKIPPED }, binary));
  }

  /** What Terraform and the hooks have printed in the last step. */
  output = "";
  readonly #workspaces = new Set(["default"]);
  /** The plugins of a stopped run. */
  #plugins: readonly number[] = [];
  #terraform: ChildProcess | undefined;

  private constructor(
    readonly simulator: Simulator,
    private readonly workspace: Workspace,
  ) {}

  async close(): Promise<void> {
    this.workspace.remove();
    await this.simulator.close();
  }

  /** Returns what it synthesizes, for the model. */
  synth({ code }: Step): unknown {
    this.workspace.synth((stack) => declare(stack, code));
    return this.workspace.synthesized();
  }

  /** Must be called after {@link synth}. */
  async play(step: Step, isInState: boolean): Promise<Seen> {
    const { simulator } = this;
    if (!this.#workspaces.has(step.workspace)) {
      this.#workspaces.add(step.workspace);
      await this.#run(["workspace", "new", step.workspace]);
    }
    const env = { TF_WORKSPACE: step.workspace };
    if (step.state && isInState) await this.#editState(step, env);
    this.#other(step);
    const from = simulator.requests.length;
    const letGo = this.#prepare(step);
    const outcome = await this.#run(argumentsOf(step), {
      ...env,
      ...(step.adopt && { CLUSTER_PLATFORM_ADOPT: step.adopt.map(idOf).join(",") }),
      ...(step.acceptGone && { CLUSTER_PLATFORM_ACCEPT_GONE: step.acceptGone.map(idOf).join(",") }),
    });
    letGo();
    while (step.stop && (await this.#survivors()) > 0) await delay(20);
    simulator.heal();
    simulator.onRequest = simulator.onResponse = undefined;
    this.output = outcome.output;
    const writes = simulator.requests.slice(from).filter(({ method }) => method !== "GET");
    return {
      ok: outcome.status === 0,
      codes: inOrder([...outcome.output.matchAll(/\[([A-Z]+(?:_[A-Z]+)*)\]/g)].map(([, code]) => code!)),
      writes: inOrder(writes.map(({ method, path, body }) => `${method} ${nameOf(method, path, body)}`)),
      live: inOrder([...simulator.providers, ...simulator.clusters].map(({ name, body }) => seenObject(name, body))),
      ...this.#state(step),
      notes: this.#notes(),
      ...(step.operation === "plan" && outcome.status === 0 && { changes: await this.#changes(env) }),
    };
  }

  async #survivors(): Promise<number> {
    const alive = await Promise.all(this.#plugins.map(isAlive));
    return alive.filter(Boolean).length + (await hooksAt(this.simulator)).length;
  }

  #run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    return this.workspace.run(args, { env, started: (child) => (this.#terraform = child) });
  }

  async #editState({ state, code }: Step, env: NodeJS.ProcessEnv): Promise<void> {
    const { act, name, to } = state!;
    const address = addressOf(code, name);
    const command = { taint: ["taint"], untaint: ["untaint"], rm: ["state", "rm"], mv: ["state", "mv"] }[act];
    const { status, output } = await this.#run([...command, address, ...(to ? [addressOf(code, to)] : [])], env);
    if (status !== 0) throw new Error(output);
  }

  #other({ other }: Step): void {
    const { simulator } = this;
    if (!other) return;
    const isThere = simulator.clusters.some(({ name }) => name === other.name);
    if (other.act === "deletes" && isThere) simulator.remove("clusters", "capvs", other.name);
    if (other.act === "creates" && !isThere) simulator.add("clusters", "capvs", structuredClone(bodyOf(other.name, 0)));
  }

  /** Returns what lets all held requests go. */
  #prepare(step: Step): () => void {
    const { fault, stop } = step;
    const { simulator } = this;
    if (fault?.method === "GET") simulator.inject({ ...faultOf(fault), method: "GET" });
    let left = fault?.times ?? Infinity;
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const isFor = ({ method, path, body }: Readonly<RecordedRequest>, one: { method: string; name?: string }) =>
      method !== "GET" && method === one.method && nameOf(method, path, body) === one.name;
    let isStopped = false;
    const stopOnce = async () => {
      if (isStopped) return;
      isStopped = true;
      await this.#stop(stop!, step.code);
      open();
    };
    simulator.onRequest = async (request) => {
      const { method, path } = request;
      if (fault && fault.method !== "GET" && left > 0 && isFor(request, fault)) {
        left--;
        simulator.inject({ ...faultOf(fault), method, path, times: 1 });
      }
      if (!stop) return;
      if (stop.at !== "look" && !isStopped && isFor(request, stop)) await this.#othersEnd(stop, step.code);
      if (stop.at === "look" && method === "GET" && !isStopped && (await this.#hooksOf(stop)).length > 0) await stopOnce();
      if (stop.at === "arrived" && isFor(request, stop)) await stopOnce();
      if (isStopped) await gate;
    };
    simulator.onResponse = async (request) => {
      if (stop?.at === "answered" && isFor(request, stop)) await stopOnce();
    };
    return open;
  }

  /** Resolves when only the hook that is to be stopped is left, and Terraform has taken note of the others. */
  async #othersEnd({ method, name }: StopAt, { engine }: Step["code"]): Promise<void> {
    const { requests } = this.simulator;
    for (let seen = -1; engine === "provider" && seen !== requests.length;) {
      seen = requests.length;
      await delay(QUIET_MS);
    }
    for (let quiet = 0; quiet < 3;) {
      const hooks = await hooksAt(this.simulator);
      const isQuiet = hooks.every((hook) => hook.name === name && (hook.command === "create") === (method === "POST"));
      quiet = isQuiet ? quiet + 1 : 0;
      await delay(100);
    }
  }

  async #hooksOf({ method, name }: StopAt): Promise<number[]> {
    const command = method === "POST" ? "create" : "delete";
    const hooks = await hooksAt(this.simulator);
    return hooks.filter((hook) => hook.command === command && hook.name === name).map(({ pid }) => pid);
  }

  /** Resolves when what is killed is dead. */
  async #stop(stop: StopAt, { engine }: Step["code"]): Promise<void> {
    const terraform = this.#terraform!;
    if (engine === "provider") this.#plugins = await pluginsOf(terraform);
    const children = engine === "provider" ? this.#plugins : await this.#hooksOf(stop);
    if (stop.how === "SIGINT") terraform.kill("SIGINT");
    if (stop.how === "SIGKILL of Terraform" || stop.how === "the machine dies") {
      await killTerraform(terraform, () => this.workspace.hasIntactState());
      while (await isAlive(terraform.pid!)) await delay(5);
    }
    if (stop.how === "SIGKILL of the child" || stop.how === "the machine dies")
      for (const pid of children) process.kill(pid, "SIGKILL");
    if (stop.how === "SIGKILL of Terraform") return;
    // It ends what it does.
    if (stop.how === "SIGINT" && engine === "provider") return delay(TOLD_MS);
    while ((await Promise.all(children.map(isAlive))).some(Boolean)) await delay(5);
  }

  #state({ workspace }: Step): Pick<Seen, "state" | "empty"> {
    const { folder, stackFolder } = this.workspace;
    const file =
      workspace === "default"
        ? join(folder, "terraform.tfstate")
        : join(stackFolder, "terraform.tfstate.d", workspace, "terraform.tfstate");
    if (!existsSync(file)) return { state: {}, empty: [] };
    const { resources } = JSON.parse(readFileSync(file, "utf8")) as StateFile;
    const state = Object.fromEntries(
      resources.flatMap(({ type, name, instances }) =>
        instances.map(({ index_key: key, status, dependencies = [], attributes, private: kept }): [string, SeenInstance] => {
          const block = `${type}.${name}`;
          const seen = {
            isTainted: status === "tainted",
            dependencies: inOrder(dependencies),
            attributes: seenAttributes(block, decoded(attributes)) as Record<string, unknown>,
            ...(isOfPlugin(block) && { private: kept === undefined ? {} : JSON.parse(atob(kept)) }),
          };
          return [key === undefined ? block : `${block}["${key}"]`, seen];
        }),
      ),
    );
    const empty = resources.filter(({ instances }) => instances.length === 0).map(({ type, name }) => `${type}.${name}`);
    return { state, empty: inOrder(empty) };
  }

  #notes(): string[] {
    const folder = join(this.workspace.stackFolder, NOTES_FOLDER);
    if (!existsSync(folder)) return [];
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return inOrder(files.map(({ parentPath }) => parentPath.slice(folder.length + 1)));
  }

  async #changes(env: NodeJS.ProcessEnv): Promise<string[]> {
    const { output } = await this.workspace.run(["show", "-json", PLAN], { env, quiet: true });
    const { resource_changes = [] } = JSON.parse(output) as {
      resource_changes?: { address: string; change: { actions: string[] } }[];
    };
    return inOrder(
      resource_changes
        .map(({ address, change }) => ({ address, actions: change.actions.join() }))
        .filter(({ actions }) => actions !== "no-op")
        .map(({ address, actions }) => `${actions === "delete,create" ? "replace" : actions} ${address}`),
    );
  }
}

const PLAN = "../../../saved.plan";

function argumentsOf({ operation, code, replace, target, isBlockTargeted, withoutRefresh, isDestroyPlanned }: Step): string[] {
  if (operation === "apply the plan") return ["apply", "-input=false", PLAN];
  const options = [
    "-input=false",
    ...(replace ? [`-replace=${addressOf(code, replace)}`] : []),
    ...(target ? [`-target=${isBlockTargeted ? blockOf(code, target) : addressOf(code, target)}`] : []),
    ...(withoutRefresh ? ["-refresh=false"] : []),
  ];
  if (operation === "plan") return ["plan", ...options, `-out=${PLAN}`, ...(isDestroyPlanned ? ["-destroy"] : [])];
  return [operation, "-auto-approve", ...options];
}

function faultOf({ fault }: NamedFault): Fault {
  switch (fault.kind) {
    case "refuse":
      return { kind: "status", status: fault.status };
    case "lose":
      return { kind: "drop", when: "after" };
    case "drop":
      return { kind: "drop" };
    case "hang":
      return { kind: "hang" };
    case "garbage":
      return { kind: "html", status: fault.status as 200, when: fault.carriedOut ? "after" : "before" };
  }
}

interface StateFile {
  readonly resources: readonly {
    readonly type: string;
    readonly name: string;
    readonly instances: readonly {
      readonly index_key?: string;
      readonly status?: string;
      readonly dependencies?: readonly string[];
      readonly attributes: Readonly<Record<string, unknown>>;
      readonly private?: string;
    }[];
  }[];
}

/** Terraform writes the type beside a value whose type the schema leaves open. */
function decoded(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const value = (given: unknown) =>
    typeof given === "object" && given !== null && "type" in given && "value" in given ? given.value : given;
  return Object.fromEntries(Object.entries(attributes).map(([name, given]) => [name, value(given)]));
}
