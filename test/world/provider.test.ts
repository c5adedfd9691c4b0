import type { World } from "./hooks";
import { Computer, Kernel } from "./kernel";
import { configurationFor, RUN_ENV, URLS, type Program } from "./programs";
import { GOOD_HABITS, Service } from "./service";
import { type Configuration } from "./terraform/configuration";
import type { PlanOptions } from "./terraform/plan-walk";
import { Terraform, type Backend, type Outcome } from "./terraform/terraform";

/** Terraform with the provider in the simulated world. */

class Stack {
  readonly kernel: Kernel;
  readonly service: Service;
  readonly backend: Backend;
  readonly computer = new Computer("A");
  readonly log: string[] = [];
  private readonly world: World;
  private runs = 0;

  constructor(seed = 1, isRemote = false) {
    this.kernel = new Kernel(seed);
    const services = URLS.map((url) => [url, new Service(this.kernel, url)] as const);
    this.world = { kernel: this.kernel, services: new Map(services) };
    this.service = services[0]![1];
    this.service.habits = { ...GOOD_HABITS, provisionSeconds: 20, deleteSeconds: 10 };
    this.backend = { state: new Map(), serial: 0, isRemote };
  }

  terraform(code: Program | Configuration): Terraform {
    const run = ++this.runs;
    const configuration = "order" in code ? code : configurationFor(code);
    return new Terraform(this.world, { name: `run ${run}`, run }, configuration, this.backend, RUN_ENV, this.computer);
  }

  async play<Result extends Outcome>(command: Promise<Result>): Promise<Result> {
    const from = this.service.log.length;
    const outcome = await this.kernel.play(command);
    this.log.push(
      ...this.service.log
        .slice(from)
        .map(({ at, method, path, outcome: what, by }) => [at, by.name, method, path, what].join(" ")),
      JSON.stringify(outcome.changes),
      ...outcome.said,
      ...outcome.errors,
      JSON.stringify([...this.backend.state]),
    );
    return outcome;
  }

  apply(code: Program | Configuration, options?: PlanOptions): Promise<Outcome> {
    return this.play(this.terraform(code).apply(options));
  }

  plan(code: Program | Configuration, options?: PlanOptions) {
    return this.play(this.terraform(code).plan(options));
  }

  get live(): string[] {
    return this.service.allLive.map(({ id }) => id).sort();
  }

  get stored(): string[] {
    return [...this.backend.state.keys()].sort();
  }
}

const program = (clusters: Program["clusters"], more: Partial<Program> = {}): Program => ({
  engine: "provider",
  waitForReady: true,
  clusters,
  ...more,
});
const C1 = "clusterplatform_capvs_cluster.c1";
const succeeded = (outcome: Outcome) => expect({ ok: outcome.ok, errors: outcome.errors }).toEqual({ ok: true, errors: [] });

const both = program({ c1: 0, c2: 1 });
const OBJECTS = ["capvs/clusters/c1", "capvs/clusters/c2", "capvs/providers/vsphere"];
const ADDRESSES = [C1, C1.replace("c1", "c2"), "clusterplatform_capvs_provider.vsphere", "clusterplatform_ready.ready"];

/** A stack with both clusters. */
async function created(seed?: number): Promise<Stack> {
  const stack = new Stack(seed);
  succeeded(await stack.apply(both));
  return stack;
}

test("a warning of a difference offers a replacement, unless clusters use the object", async () => {
  const stack = await created();
  const differs = async (address: string, attribute: string, value: string, code: Program) => {
    const instance = stack.backend.state.get(address)!;
    const changed = { ...instance, attributes: { ...instance.attributes, [attribute]: value } };
    stack.backend.state = new Map(stack.backend.state).set(address, changed);
    const outcome = await stack.plan(code);
    succeeded(outcome);
    stack.backend.state = new Map(stack.backend.state).set(address, instance);
    return outcome.advice;
  };
  const objects = [{ type: "capvs", kind: "clusters", name: "c1" }];
  expect(await differs(C1, "ingress", "v1.example.com", program({ c1: 1, c2: 1 }))).toEqual([
    { code: "DECLARE_LIVE", objects },
    { code: "REPLACE", objects },
  ]);
  const used = "clusterplatform_capvs_provider.vsphere";
  expect(await differs(used, "ip_address_pool_name", "pool-1", { ...both, provider: 1 })).toEqual([
    { code: "DECLARE_LIVE", objects: [{ type: "capvs", kind: "providers", name: "vsphere" }] },
  ]);
});

describe("an apply", () => {
  test("creates everything, and the next plan is empty with and without a refresh", async () => {
    const stack = await created();
    expect(stack.live).toEqual(OBJECTS);
    expect(stack.stored).toEqual(ADDRESSES);
    for (const refresh of [true, false]) {
      const outcome = await stack.plan(both, { refresh });
      succeeded(outcome);
      expect(outcome.changes).toEqual([]);
    }
  });

  test("replaces an object with a changed field", async () => {
    const stack = await created();
    const before = stack.backend.state.get(C1)!.attributes.uid;
    const outcome = await stack.apply(program({ c1: 1, c2: 1 }));
    succeeded(outcome);
    expect(outcome.changes).toEqual([`replace ${C1}`, "update clusterplatform_ready.ready"]);
    expect(stack.live).toEqual(OBJECTS);
    expect(stack.backend.state.get(C1)!.attributes.uid).not.toBe(before);
    expect((await stack.plan(program({ c1: 1, c2: 1 }))).changes).toEqual([]);
  });

  test("deletes what leaves the code, and a destroy deletes everything", async () => {
    const stack = await created();
    succeeded(await stack.apply(program({ c2: 1 })));
    expect(stack.live).toEqual(OBJECTS.slice(1));
    expect(stack.stored).toEqual(ADDRESSES.slice(1));
    succeeded(await stack.apply(program({ c2: 1 }), { destroy: true }));
    expect(stack.live).toEqual([]);
    expect(stack.stored).toEqual([]);
    for (const note of stack.computer.files.values()) expect(note).toContain('"creates":[]');
  });

  test("carries out a saved plan, unless the state has changed since", async () => {
    const stack = await created();
    const { saved } = await stack.plan(program({ c2: 1 }));
    const stale = await stack.plan(program({ c1: 0 }));
    succeeded(await stack.play(stack.terraform(both).applySaved(saved!)));
    expect(stack.live).toEqual(OBJECTS.slice(1));
    expect((await stack.play(stack.terraform(both).applySaved(stale.saved!))).codes).toEqual(["REFUSED_BY_TERRAFORM"]);
  });

  test("with -replace and -target changes only these and what they depend on", async () => {
    const stack = await created();
    const replaced = await stack.apply(both, { replace: [C1] });
    succeeded(replaced);
    expect(replaced.changes).toEqual([`replace ${C1}`, "update clusterplatform_ready.ready"]);
    const targeted = await stack.apply(program({ c1: 1, c2: 0 }), { target: [C1] });
    expect(targeted.changes).toEqual([`replace ${C1}`]);
  });

  test("refuses to delete a protected object", async () => {
    const stack = new Stack();
    const isProtected = true;
    succeeded(await stack.apply(program({ c1: 0 }, { isProtected })));
    expect((await stack.plan(program({}, { isProtected }))).codes).toEqual(["PROTECTED"]);
    succeeded(await stack.apply(program({}, { isProtected, allowDeletion: ["capvs/clusters/c1"] })));
    expect(stack.live).toEqual(["capvs/providers/vsphere"]);
  });
});

describe("an object that the service has", () => {
  /** A stack whose state lacks a cluster. */
  const forgotten = async () => {
    const stack = await created();
    const state = new Map(stack.backend.state);
    state.delete(C1);
    stack.backend.state = state;
    return stack;
  };

  test("is imported by the command", async () => {
    const stack = await forgotten();
    expect((await stack.apply(both)).codes).toEqual(["NAME_TAKEN"]);
    succeeded(await stack.play(stack.terraform(both).import(C1, "c1")));
    const outcome = await stack.apply(both);
    succeeded(outcome);
    // The refresh of the last resource takes over the new id.
    expect(outcome.changes).toEqual([`update ${C1}`]);
    expect((await stack.plan(both)).changes).toEqual([]);
  });

  test("is imported by a block", async () => {
    const stack = await forgotten();
    const code = { ...configurationFor(both), imports: [{ to: C1, id: "c1" }] };
    const outcome = await stack.apply(code);
    succeeded(outcome);
    expect(outcome.changes).toEqual([`update ${C1}`]);
    expect((await stack.plan(code)).changes).toEqual([]);
  });
});

test("an instance moves to another address", async () => {
  const stack = await created();
  const old = `${C1}_old`;
  stack.backend.state = new Map(
    [...stack.backend.state].map(([address, each]) => (address === C1 ? [old, { ...each, block: old }] : [address, each])),
  );
  expect((await stack.plan(both)).codes).toContain("MISPLACED");
  const outcome = await stack.apply({ ...configurationFor(both), moved: [{ from: old, to: C1 }] });
  succeeded(outcome);
  expect(outcome.changes).toEqual([]);
  expect(stack.stored).toEqual(ADDRESSES);
});

test.each([
  ["a local", false, 4],
  ["a remote", true, 1],
])("%s state is written as often as Terraform writes it", async (_, isRemote, times) => {
  const stack = new Stack(1, isRemote);
  let writes = 0;
  stack.kernel.onEffect = (what) => {
    if (what === "writes the state") writes++;
  };
  succeeded(await stack.apply(both));
  expect(writes).toBe(times);
  succeeded(await stack.apply(both));
  expect(writes).toBe(times);
});

describe("a kill after the POST", () => {
  /** The k-th time that the service has carried out a POST. */
  const atPost = (stack: Stack, count: number, act: () => void) => {
    let posts = 0;
    stack.kernel.onEffect = (what) => {
      if (what.startsWith("carried out POST") && ++posts === count) act();
    };
  };

  test.each([
    ["Terraform", (terraform: Terraform) => terraform.kill({ withChildren: false })],
    ["the machine", (terraform: Terraform) => terraform.kill({ withChildren: true })],
  ])("of %s: the next apply continues with the object", async (_, kill) => {
    const stack = new Stack();
    const terraform = stack.terraform(both);
    atPost(stack, 2, () => kill(terraform));
    const outcome = await stack.play(terraform.apply());
    expect(outcome).toMatchObject({ ok: false, wasKilled: true });
    expect(stack.stored).toHaveLength(1);
    stack.kernel.onEffect = undefined;
    await stack.kernel.pass(10_000);
    const { lives } = stack.service;
    succeeded(await stack.apply(both));
    expect(stack.live).toEqual(OBJECTS);
    expect(lives).toHaveLength(OBJECTS.length);
    expect((await stack.plan(both)).changes).toEqual([]);
  });

  test("of the provider: its requests fail, and the next apply continues", async () => {
    const stack = new Stack();
    const terraform = stack.terraform(both);
    atPost(stack, 2, () => terraform.killChildren());
    const outcome = await stack.play(terraform.apply());
    expect(outcome.codes).toEqual(["PLUGIN_DIED", "PLUGIN_DIED"]);
    stack.kernel.onEffect = undefined;
    succeeded(await stack.apply(both));
    expect(stack.live).toEqual(OBJECTS);
  });

  test("an interrupt lets the request end, and starts nothing more", async () => {
    const stack = new Stack();
    const terraform = stack.terraform(both);
    atPost(stack, 1, () => terraform.interrupt());
    const outcome = await stack.play(terraform.apply());
    expect(outcome).toMatchObject({ ok: false, wasKilled: false, codes: ["HALTED"] });
    expect(stack.stored).toEqual(["clusterplatform_capvs_provider.vsphere"]);
    expect(stack.live).toEqual(["capvs/providers/vsphere"]);
  });
});

test.each<Program["engine"]>(["null_resource", "terraform_data", "provider"])(
  "a cluster that a service with upper-case names keeps is not forgotten, with %s",
  async (engine) => {
    const stack = new Stack();
    stack.service.habits = { ...GOOD_HABITS, upperCase: true };
    const declared: Program = { engine, clusters: { c1: 0, c2: 0 } };
    succeeded(await stack.apply(declared));
    expect(stack.live).toEqual(["capvs/clusters/C1", "capvs/clusters/C2", "capvs/providers/vsphere"]);
    const before = stack.stored;
    for (const clusters of [{ c2: 0 }, {}] as const) {
      const { ok, codes } = await stack.apply({ ...declared, clusters });
      expect({ ok, codes: [...new Set(codes)] }).toEqual({ ok: false, codes: ["NOT_OURS"] });
    }
    expect(stack.live).toHaveLength(3);
    expect(stack.stored.filter((address) => /c1|c2/.test(address))).toEqual(before.filter((address) => /c1|c2/.test(address)));
  },
);

test("the same seed gives the same log, byte for byte", async () => {
  const logOf = async (seed: number) => {
    const stack = await created(seed);
    const terraform = stack.terraform(program({ c1: 1 }));
    let effects = 0;
    stack.kernel.onEffect = () => {
      if (++effects === 40) terraform.kill({ withChildren: false });
    };
    await stack.play(terraform.apply());
    stack.kernel.onEffect = undefined;
    await stack.apply(program({ c1: 1 }));
    return stack.log.join("\n");
  };
  expect(await logOf(7)).toBe(await logOf(7));
  expect(await logOf(7)).not.toBe(await logOf(8));
});
