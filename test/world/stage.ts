import { SUPPORT_RESOURCES, supportAddress, supportId, type SupportResource } from "../../src/contract/addresses";
import { idOf as refId, type ObjectRef } from "../../src/model/object-ref";
import { Conduct } from "./conduct";
import { Counts } from "./counts";
import type { World } from "./hooks";
import { idOf, uidOf, urlOf } from "./instances";
import { Judge, type Stored, type Violation } from "./judge";
import { Computer, Kernel } from "./kernel";
import {
  addressOf,
  besideOf,
  clusterId,
  configurationFor,
  declaredOn,
  isAsDeclared,
  type ObjectName,
  platformOf,
  type Program,
  PROVIDER,
  RUN_ENV,
  serviceAt,
  URLS,
} from "./programs";
import { type Life, Service } from "./service";
import type { Sequence, Setup, Step } from "./steps";
import { type Backend, type SavedPlan, Terraform } from "./terraform/terraform";

/** A workspace of Terraform. */
export interface Workspace {
  readonly name: string;
  readonly backend: Backend;
  /** The last one that was saved, and the step that has planned it. */
  plan?: { readonly saved: SavedPlan; readonly step: Step };
}

/** Who and what takes part in a sequence: services, computers, workspaces and judges, and what they have seen so far. */
export class Stage {
  readonly kernel: Kernel;
  readonly world: World;
  /** One for each service. */
  readonly judges: readonly Judge[];
  /** On the first service. */
  readonly conduct: Conduct;
  /** What happened, as a person reads it. */
  readonly log: string[] = [];
  runs = 0;
  readonly services: readonly Service[];
  readonly workspaces: Record<"default" | "other", Workspace>;
  readonly computers: Record<"A" | "B", Computer>;
  /** How often a person has untainted an object that was not on the service. */
  untaintedMissing = 0;
  /** Programs of the instances in the state, by the value of their triggers. */
  readonly programs = new Map<unknown, Program>();
  /** The services on which the instances in the state were created. */
  readonly homes = new Map<unknown, number>();
  /** Ids of instances that were in a state after an import. */
  readonly imported = new Set<unknown>();
  /** Stops and deeds of others, by the effect before which each happened. */
  readonly moments = new Counts();
  /** How often each kind of run was compared with the `review` of its plan. */
  readonly reviews = new Map<string, number>();
  /** How often each change by somebody else led to each finding of `drift`. */
  readonly repairs = new Map<string, number>();
  readonly steps: Step[] = [];
  newComputers = 0;
  /** When the last run ended. */
  endedAt = -Infinity;
  isFollowing = false;

  constructor(
    readonly setup: Setup,
    readonly seed: number,
  ) {
    this.kernel = new Kernel(seed);
    this.services = [URLS[0], URLS[1]].map((url) => new Service(this.kernel, url));
    const services = new Map(URLS.map((url) => [url, this.services[serviceAt(url)!]!]));
    this.world = { kernel: this.kernel, services, isOpenTofu: setup.isOpenTofu };
    this.judges = this.services.map((service) => new Judge(service));
    this.conduct = new Conduct(
      this.service,
      (rule, text) => this.judges[0]!.violated(rule, text),
      (exception) => this.judges[0]!.excuse(exception),
    );
    this.kernel.onNote = (text, { name }) => this.conduct.noted(text, name);
    this.kernel.onCall = (call) => this.conduct.called(call);
    for (const [index, service] of this.services.entries()) {
      service.isDeletionShown = setup.isDeletionShown === true;
      service.onDelete = (life, actor) => {
        this.judges[index]!.deleted(life, actor.run);
        if (index === 0) this.conduct.deleted(life, actor.run);
      };
    }
    const backend = () => ({ state: new Map(), serial: 0, isRemote: setup.isRemote });
    this.workspaces = { default: { name: "default", backend: backend() }, other: { name: "other", backend: backend() } };
    this.computers = { A: new Computer("A"), B: new Computer("B", 90_000) };
  }

  get violations(): readonly Violation[] {
    return this.judges.flatMap(({ violations }) => violations);
  }

  /** How often each exception of the rules was used. */
  get exceptions(): ReadonlyMap<string, number> {
    const used = new Map<string, number>();
    for (const [exception, times] of this.judges.flatMap(({ exceptions }) => [...exceptions]))
      used.set(exception, (used.get(exception) ?? 0) + times);
    return used;
  }

  get service(): Service {
    return this.services[0]!;
  }

  /** What was played so far. */
  get sequence(): Sequence {
    return { setup: this.setup, seed: this.seed, steps: this.steps };
  }

  /** The objects that live on each service, by their ids. */
  lives(): readonly ReadonlyMap<string, Life>[] {
    return this.services.map((service) => new Map(service.allLive.map((life) => [life.id, life])));
  }

  computerOf({ computer = "A" }: Step): Computer {
    return computer === "new" ? new Computer(`new ${++this.newComputers}`) : this.computers[computer];
  }

  addressOf(program: Program, name: ObjectName | SupportResource): string {
    if (isSupport(name))
      return program.engine === "provider" ? `clusterplatform_${name}.${name}` : supportAddress(supportId("", name));
    const id = name === PROVIDER ? `capvs/providers/${name}` : clusterId(name);
    return addressOf(program.engine, this.missesBeside(program, id) ? besideOf(program) : platformOf(program, id), id);
  }

  /** Whether only the second service lacks an object that both should have. Messages have its address, and remedies do not. */
  missesBeside(program: Program, id: string): boolean {
    const [first, second] = [program.url ?? URLS[0], program.beside?.url].map((url) => this.services[serviceAt(url) ?? -1]);
    if (!second || !declaredOn(program, besideOf(program)).includes(id)) return false;
    return first?.live(id) !== undefined && second.live(id) === undefined;
  }

  /** The objects in the state that were created on another service than the one that a run uses for them. */
  elsewhere({ state }: Backend, program: Program, url: string): { readonly id: string; readonly service: number }[] {
    return [...state.values()].flatMap((instance) => {
      const [id, service] = [idOf(instance), serviceAt(urlOf(program, instance.block) ?? url)!];
      // An instance of a run that has not ended has no home yet.
      const home = this.homes.get(uidOf(instance)) ?? service;
      return id === undefined || home === service ? [] : [{ id, service }];
    });
  }

  /** The objects in the state that were created on a service. */
  stored({ state }: Backend, service: number): Map<string, Stored> {
    const stored = new Map<string, Stored>();
    for (const instance of state.values()) {
      const id = idOf(instance);
      // After a move by hand, another instance may be about the same object.
      if (id && this.homes.get(uidOf(instance)) === service && !(stored.has(id) && instance.isTainted))
        stored.set(id, {
          id,
          block: instance.block,
          isTainted: instance.isTainted,
          instance: uidOf(instance),
          program: this.programs.get(uidOf(instance)),
        });
    }
    return stored;
  }

  terraform(
    program: Program,
    run: number,
    computer: Computer,
    env: Readonly<Record<string, string>>,
    { name, backend }: Workspace,
  ): Terraform {
    return new Terraform(this.world, { name: `run ${run}`, run }, configurationFor(program), backend, env, computer, name);
  }

  /** The program with the declaration that the live object has, if there is one. */
  declaringLive(program: Program, object: ObjectRef): Program {
    const live = this.service.live(refId(object));
    const programs = ([0, 1, 2] as const).map((variant): Program => {
      if (object.kind === "providers") return { ...program, provider: variant === 1 ? 1 : 0 };
      return { ...program, clusters: { ...program.clusters, [object.name]: variant } };
    });
    return programs.find((each) => live && isAsDeclared(each, live.id, live.object.body)) ?? program;
  }
}

/** What a run of a step gets from its environment. */
export function environmentOf({ lacks, url, adopt, acceptGone }: Step): Readonly<Record<string, string>> {
  const all: Record<string, string> = { ...RUN_ENV };
  if (lacks) delete all[lacks];
  return {
    ...all,
    ...(url && { CLUSTER_PLATFORM_URL: url }),
    ...(adopt && { CLUSTER_PLATFORM_ADOPT: adopt.join(",") }),
    ...(acceptGone && { CLUSTER_PLATFORM_ACCEPT_GONE: acceptGone }),
  };
}

function isSupport(name: ObjectName | SupportResource): name is SupportResource {
  return (SUPPORT_RESOURCES as readonly string[]).includes(name);
}
