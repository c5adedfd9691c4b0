import type { World } from "./hooks";
import { Computer, Kernel } from "./kernel";
import { configurationFor, RUN_ENV, URLS, type Program } from "./programs";
import { GOOD_HABITS, Service } from "./service";
import { Terraform, type Backend, type Outcome } from "./terraform/terraform";

/** Terraform with the provider in the simulated world. */

class Stack {
  readonly kernel = new Kernel(1);
  readonly service: Service;
  readonly backend: Backend;
  private readonly computer = new Computer("A");
  private readonly world: World;
  private runs = 0;

  constructor(isRemote = false) {
    const services = URLS.map((url) => [url, new Service(this.kernel, url)] as const);
    this.world = { kernel: this.kernel, services: new Map(services) };
    this.service = services[0]![1];
    this.service.habits = { ...GOOD_HABITS, provisionSeconds: 20, deleteSeconds: 10 };
    this.backend = { state: new Map(), serial: 0, isRemote };
  }

  apply(code: Program): Promise<Outcome> {
    return this.kernel.play(this.#terraform(code).apply());
  }

  plan(code: Program): Promise<Outcome> {
    return this.kernel.play(this.#terraform(code).plan());
  }

  #terraform(code: Program): Terraform {
    const run = ++this.runs;
    return new Terraform(this.world, { name: `run ${run}`, run }, configurationFor(code), this.backend, RUN_ENV, this.computer);
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
const succeeded = (outcome: Outcome) => expect({ ok: outcome.ok, errors: outcome.errors }).toEqual({ ok: true, errors: [] });

const both = program({ c1: 0, c2: 1 });

test("a warning of a difference offers a replacement, unless clusters use the object", async () => {
  const stack = new Stack();
  succeeded(await stack.apply(both));
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
  expect(await differs("clusterplatform_capvs_cluster.c1", "ingress", "v1.example.com", program({ c1: 1, c2: 1 }))).toEqual([
    { code: "DECLARE_LIVE", objects },
    { code: "REPLACE", objects },
  ]);
  const used = "clusterplatform_capvs_provider.vsphere";
  expect(await differs(used, "ip_address_pool_name", "pool-1", { ...both, provider: 1 })).toEqual([
    { code: "DECLARE_LIVE", objects: [{ type: "capvs", kind: "providers", name: "vsphere" }] },
  ]);
});

test.each([
  ["a local", false, 4],
  ["a remote", true, 1],
])("%s state is written as often as Terraform writes it", async (_, isRemote, times) => {
  const stack = new Stack(isRemote);
  let writes = 0;
  stack.kernel.onEffect = (what) => {
    if (what === "writes the state") writes++;
  };
  succeeded(await stack.apply(both));
  expect(writes).toBe(times);
  succeeded(await stack.apply(both));
  expect(writes).toBe(times);
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
