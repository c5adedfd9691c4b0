import { isDeepStrictEqual } from "node:util";
import {
  blockAddress,
  platformOfPrefix,
  platformPrefix,
  PLUGIN_READY_TYPE,
  pluginReadyId,
  SUPPORT_RESOURCES,
  supportAddress,
  supportId,
  type SupportResource,
} from "../../src/contract/addresses";
import { UNKNOWN_PLATFORM } from "../../src/cli/report/instance";
import type { Remedy } from "../../src/lifecycle/remedy";
import { idOf as refId, objectOf, type ObjectRef } from "../../src/model/object-ref";
import type { JsonObject } from "../../src/model/provider-type";
import { isSecretReference } from "../../src/model/secret-reference";
import type { ObjectValue } from "../../src/terraform/value";
import { Conduct } from "./conduct";
import { Counts } from "./counts";
import type { World } from "./hooks";
import { Judge, type Judged, type Stored, type Violation } from "./judge";
import { isDecision } from "./decisions";
import { Draw } from "./draw";
import { driftIn, following } from "./drifted";
import { Computer, Kernel, randomFrom, type Effect } from "./kernel";
import {
  addressOf,
  bodyOf,
  clusterId,
  configurationFor,
  besideOf,
  declaredBy,
  declaredOn,
  isAsDeclared,
  isOtherwise,
  LAB,
  NAMES,
  type ObjectName,
  partOn,
  platformOf,
  type Program,
  PROVIDER,
  RUN_ENV,
  serviceAt,
  URLS,
  type Variant,
} from "./programs";
import { dangers, entryOf, reviewOf, untrueIn, type Fate, type Happened } from "./reviewed";
import { GOOD_HABITS, Service, type Life } from "./service";
import type { Moment, Sequence, Setup, Step, Stop } from "./steps";
import type { PlanOptions } from "./terraform/plan-walk";
import type { Change } from "./terraform/core";
import { addressIn, movedByHand, parseInstance, type Instance, type State } from "./terraform/state";
import { Terraform, type Backend, type Outcome, type SavedPlan } from "./terraform/terraform";

/** The Platform of a finding of the review that may be about any. */
const UNKNOWN = platformOfPrefix(UNKNOWN_PLATFORM);

/** How long hooks may live after Terraform was killed. */
const CHILDREN_END_MS = 30_000;

/** How many runs a person has to get out of any state, once all faults have ended. */
const RUNS_OUT = 4;

/** After this time, no create that got no answer is carried out any more. */
const NOTHING_IS_LATE_SECONDS = 900;

/** A workspace of Terraform. */
interface Workspace {
  readonly name: string;
  readonly backend: Backend;
  /** The last one that was saved, and the step that has planned it. */
  plan?: { readonly saved: SavedPlan; readonly step: Step };
}

type StopBefore = (effect: Effect, nth: number) => Stop | undefined;

/** Plays one sequence. */
export class Play {
  readonly kernel: Kernel;
  readonly world: World;
  /** One for each service. */
  readonly judges: readonly Judge[];
  /** On the first service. */
  readonly conduct: Conduct;
  /** What happened, as a person reads it. */
  readonly log: string[] = [];
  runs = 0;
  readonly #services: readonly Service[];
  readonly #workspaces: Record<"default" | "other", Workspace>;
  readonly #computers: Record<"A" | "B", Computer>;
  /** How often a person has untainted an object that was not on the service. */
  #untaintedMissing = 0;
  /** Programs of the instances in the state, by the value of their triggers. */
  readonly #programs = new Map<unknown, Program>();
  /** The services on which the instances in the state were created. */
  readonly #homes = new Map<unknown, number>();
  /** Ids of instances that were in a state after an import. */
  readonly #imported = new Set<unknown>();
  /** Stops and deeds of others, by the effect before which each happened. */
  readonly moments = new Counts();
  /** How often each kind of run was compared with the `review` of its plan. */
  readonly reviews = new Map<string, number>();
  /** How often each change by somebody else led to each finding of `drift`. */
  readonly repairs = new Map<string, number>();
  readonly #steps: Step[] = [];
  #newComputers = 0;
  /** When the last run ended. */
  #endedAt = -Infinity;
  #isFollowing = false;

  constructor(
    readonly setup: Setup,
    readonly seed: number,
  ) {
    this.kernel = new Kernel(seed);
    this.#services = [URLS[0], URLS[1]].map((url) => new Service(this.kernel, url));
    const services = new Map(URLS.map((url) => [url, this.#services[serviceAt(url)!]!]));
    this.world = { kernel: this.kernel, services, isOpenTofu: setup.isOpenTofu };
    this.judges = this.#services.map((service) => new Judge(service));
    this.conduct = new Conduct(this.service, (rule, text) => this.judges[0]!.violated(rule, text));
    this.kernel.onNote = (text, { name }) => this.conduct.noted(text, name);
    this.kernel.onCall = (call) => this.conduct.called(call);
    for (const [index, service] of this.#services.entries()) {
      service.isDeletionShown = setup.isDeletionShown === true;
      service.onDelete = (life, actor) => {
        this.judges[index]!.deleted(life, actor.run);
        if (index === 0) this.conduct.deleted(life, actor.run);
      };
    }
    const backend = () => ({ state: new Map(), serial: 0, isRemote: setup.isRemote });
    this.#workspaces = { default: { name: "default", backend: backend() }, other: { name: "other", backend: backend() } };
    this.#computers = { A: new Computer("A"), B: new Computer("B", 90_000) };
  }

  get violations(): readonly Violation[] {
    return this.judges.flatMap(({ violations }) => violations);
  }

  get service(): Service {
    return this.#services[0]!;
  }

  /** What was played so far. */
  get sequence(): Sequence {
    return { setup: this.setup, seed: this.seed, steps: this.#steps };
  }

  /**
   * Plays until the first violation.
   * @param next the next step, after it is known whether the one before succeeded
   * @param stopBefore how a run is stopped before the nth effect of a kind, if its step does not say so
   */
  async play(next: (wasOk: boolean) => Step | undefined, stopBefore?: StopBefore): Promise<void> {
    let wasOk = true;
    for (let step = next(wasOk); step !== undefined; step = next(wasOk)) {
      this.#steps.push(step);
      const outcome = await this.#attempt(step, stopBefore);
      if (this.violations.length > 0) return;
      wasOk = outcome!.ok;
    }
    const last = this.#steps.at(-1);
    if (!last || this.#steps.some(({ beside }) => beside)) return;
    const calm = await this.#converges(last);
    if (calm && this.violations.length === 0 && this.setup.hasForecasts && isPlain(calm)) await this.#repairs(calm.program);
  }

  async #attempt(step: Step, stopBefore?: StopBefore): Promise<Outcome | undefined> {
    try {
      return await this.#step(step, stopBefore);
    } catch (error) {
      this.judges[0]!.violated("0 the run does not end", (error as Error).stack ?? "");
      return undefined;
    }
  }

  async #step(step: Step, stopBefore?: StopBefore): Promise<Outcome> {
    const { service, kernel, setup } = this;
    if (step.wait) await kernel.pass(step.wait * 1000);
    const computer = this.#computerOf(step);
    service.forgetFaults();
    if (step.isTokenWrong) for (const method of METHODS) service.plan({ method, ...REFUSED });
    step.faults?.forEach((fault) => service.plan(fault));
    service.habits = { ...GOOD_HABITS, ...step.habits };
    const workspace = this.#workspaces[step.workspace ?? "default"];
    const { backend } = workspace;
    this.#editState(step, backend);
    const meant = step.operation === "apply the plan" ? meantBy(step, workspace) : step;
    if (!meant) return NOTHING_DONE;
    const { program } = meant;
    const number = ++this.runs;
    const env = environmentOf(meant);
    const url = env.CLUSTER_PLATFORM_URL!;
    const run = this.#terraform(program, number, computer, env, workspace);
    const judged = this.#judged(run, step, meant, workspace, computer);
    this.#begin(judged);
    const beside = step.beside && this.#beside(step.beside, step.faults, workspace);
    const firstLogs = this.#services.map(({ log }) => log.length);
    const started = kernel.now;
    const { view, other, folder } = step;
    const effects = new Map<Effect, number>();
    kernel.onEffect = (effect) => {
      const nth = (effects.get(effect) ?? 0) + 1;
      effects.set(effect, nth);
      const isNow = (moment: Moment | undefined) => moment?.before === effect && moment.nth === nth;
      if (view && isNow(view.at)) service.show(view.view, view.seconds);
      if (folder && isNow(folder.at)) computer.folder = folder.is;
      if (other && isNow(other.at)) {
        this.moments.add(`somebody ${other.act}`, effect);
        this.#other(other);
      }
      const how = step.stop ? undefined : stopBefore?.(effect, nth);
      if (how) step.stop = meant.stop = { at: { before: effect, nth }, how };
      if (step.stop && isNow(step.stop.at)) this.#stop(run, step.stop.how, effect);
    };
    if (view && !view.at) service.show(view.view, view.seconds);
    if (folder && !folder.at) computer.folder = folder.is;
    if (other && !other.at) this.#other(other);
    const isClear = setup.hasForecasts === true && this.#isClear(program);
    const lives = this.#lives();
    const stateBefore = backend.state;
    const [outcome, concludeBeside] = await kernel.play(Promise.all([this.#carriedOut(run, step, workspace), beside]));
    kernel.onEffect = undefined;
    computer.folder = "writable";
    for (const [address, instance] of backend.state) {
      const id = uidOf(instance);
      const home = serviceAt(urlOf(program, instance.block) ?? url)!;
      if (!this.#homes.has(id)) this.#homes.set(id, home);
      if (step.import) this.#imported.add(id);
      const isChecked = !this.#imported.has(id) || (judged[0]!.isApply && outcome.ok && !meant.target);
      const claimed = this.#programs.get(id);
      const isWritten = outcome.ok || !isDeepStrictEqual(declaredIn(stateBefore.get(address)), declaredIn(instance));
      const isClaimedAnew = claimed !== undefined && isWritten && judged[0]!.isApply && !meant.target;
      const isTakenOver = isClaimedAnew && program.engine === "provider" && isOtherwise(claimed, program, idOf(instance));
      if (!step.import && isChecked && (!claimed || isTakenOver)) this.#programs.set(id, partOn(program, home, url));
    }
    this.log.push(
      `run ${number} on ${computer.name}: ${step.import ? "import" : (step.operation ?? "apply")} ${outcome.ok ? "succeeds" : outcome.wasKilled ? "is killed" : "FAILS"} after ${(kernel.now - started) / 1000} s: ${JSON.stringify(step)}`,
      ...outputOf(outcome),
      ...this.#services.flatMap(({ log, url: at }, index) =>
        log.slice(firstLogs[index]).flatMap(({ at: time, method, path, outcome: result, by }) => {
          const where = index === 0 ? path : at + path;
          return method === "GET" && result === "200"
            ? []
            : [`  > ${(time - started) / 1000} s ${by.name} ${method} ${where}: ${result}`];
        }),
      ),
      `  state: ${[...backend.state.values()].flatMap((each) => (idOf(each) ? [addressIn(each) + (each.isTainted ? " (tainted)" : "")] : [])).join(", ")}`,
      ...this.#services.map(
        ({ allLive }, index) =>
          `  live${index === 0 ? "" : " elsewhere"}: ${allLive.map(({ id, by }) => `${id} by ${by.name}`).join(", ")}`,
      ),
    );
    this.#endedAt = kernel.now;
    this.#conclude(judged, run, outcome, workspace, step.beside ? 0 : (kernel.now - started) / 1000);
    concludeBeside?.();
    if (setup.hasForecasts && judged[0]!.isApply)
      this.#reviewed(judged, run, outcome, workspace, lives, isClear && isReviewable(step, meant));
    return outcome;
  }

  /** Whether nothing that earlier runs have left may still change what the run finds. */
  #isClear(program: Program): boolean {
    if (this.#services.some((service) => !service.isTrue || service.isExpectingLate)) return false;
    // Lists show neither that it leaves, nor when it is gone.
    const isHidden = ({ to, leavingAt, object }: Life) =>
      to === undefined && leavingAt !== undefined && (object.kind === "providers" || !this.sequence.setup.isDeletionShown);
    if (this.#services.some(({ lives }) => lives.some(isHidden))) return false;
    // Hooks of a killed Terraform may still work.
    const [before] = this.#steps.slice(-2);
    if (before?.stop && this.kernel.now < this.#endedAt + CHILDREN_END_MS) return false;
    // The model of an import with hooks knows less than Terraform.
    return this.#imported.size === 0 || program.engine === "provider";
  }

  /** The objects that live on each service, by their ids. */
  #lives(): readonly ReadonlyMap<string, Life>[] {
    return this.#services.map((service) => new Map(service.allLive.map((life) => [life.id, life])));
  }

  /** Rule 7: what `review` says of a plan comes true. Nothing is deleted or forgotten that it leaves alone. */
  #reviewed(
    judged: readonly Judged[],
    run: Terraform,
    outcome: Outcome,
    { backend }: Workspace,
    before: readonly ReadonlyMap<string, Life>[],
    isCalm: boolean,
  ): void {
    const plan = run.shown;
    if (!plan || plan.isFailed) return;
    const { step, number } = judged[0]!;
    const counted = `${isCalm ? "" : "not calm, "}${outcome.ok ? "succeeds" : "fails"}`;
    this.reviews.set(counted, (this.reviews.get(counted) ?? 0) + 1);
    const after = this.#lives();
    const url = environmentOf(step).CLUSTER_PLATFORM_URL!;
    const review = reviewOf(step.program, plan);
    const happened = this.#services.flatMap((_, index): Happened[] => {
      const stored = this.#stored(backend, index);
      const changes = plan.changes.filter(({ block }) => serviceAt(urlOf(step.program, block) ?? url) === index);
      const all = [...before[index]!.keys(), ...after[index]!.keys(), ...judged[index]!.before.keys()];
      return [...new Set(all)]
        .filter((id) => !judged[0]!.elsewhere.includes(id))
        .map((id): Happened => {
          const [was, is] = [before[index]!.get(id), after[index]!.get(id)];
          const [held, holds] = [judged[index]!.before.get(id), stored.get(id)];
          return {
            object: id,
            service: index,
            fate: fateOf(was, is, number),
            livedBefore: was !== undefined,
            isDeclared: declaredBy(judged[index]!.program).includes(id),
            wasAsDeclared: was !== undefined && isAsDeclared(step.program, id, was.object.body),
            wasStored: held !== undefined && !held.isTainted,
            entry: entryOf(held?.instance, holds?.instance, judged[index]!.instances),
            isPlannedToLeave: isLeaving(changes, id),
            findings: review.findings.filter(
              ({ object, platform }) =>
                object === id && (platform === UNKNOWN || serviceAt(urlOfPlatform(step.program, platform) ?? url) === index),
            ),
          };
        });
    });
    const shown = { isDestroy: step.operation === "destroy" };
    const found = [...dangers(happened), ...(isCalm ? untrueIn(review, happened, outcome, shown) : [])];
    for (const { rule, text } of found.slice(0, 1)) this.judges[0]!.violated(rule, text);
  }

  /** For each service. */
  #judged(run: Terraform, step: Step, meant: Step, { name, backend }: Workspace, computer: Computer): readonly Judged[] {
    const { program } = meant;
    const stateBefore = backend.state;
    const url = environmentOf(meant).CLUSTER_PLATFORM_URL!;
    const { blocks, removed } = configurationFor(program);
    const startedAt = this.kernel.now;
    const elsewhere = this.#elsewhere(backend, program, url);
    const isApply = !step.import && step.operation !== "plan" && step.operation !== "plan a destroy";
    const isProvider = program.engine === "provider";
    const isDestroy = meant.operation === "destroy";
    // Terraform plans what is declared before it destroys, but not for an empty state.
    const plansDeclared = stateBefore.size > 0 && !meant.withoutRefresh;
    const has = (support: string) => [...stateBefore].some(([address, { isTainted }]) => !isTainted && address.endsWith(support));
    // A `moved` block gives an instance another address before it is planned.
    const isPlanned = (id: string) =>
      isLeaving(run.planned, id) || run.changes.some((change) => /^(delete|replace) /.test(change) && idInChange(change) === id);
    const hasOwn = (...which: Parameters<typeof supportId>[1][]) =>
      which.every((each) => has(supportAddress(supportId(platformPrefix(program.platform), each))));
    const looksWith = (ready: string) => isProvider && has(ready) && blocks.has(ready) && !meant.withoutRefresh && !meant.target;
    const urls = [program.url ?? url, ...(program.beside ? [program.beside.url] : [])];
    const lookalikes = isProvider
      ? // The state names the service, because somebody has applied its URL.
        elsewhere.filter(({ id, service: at }) =>
          [...stateBefore.values()].some((each) => idOf(each) === id && serviceAt(serviceOf(each)) === at),
        )
      : elsewhere;
    const applied = [...stateBefore.values()].flatMap((each) => declaredBy(this.#programs.get(uidOf(each)) ?? program));
    return this.#services.map((service, index) => ({
      step: meant,
      program: partOn(program, index, url),
      isApply,
      isSaved: step.operation === "apply the plan",
      workspace: name,
      number: run.actor.run!,
      computer: computer.name,
      startedAt,
      before: new Map([...this.#stored(backend, index)].map(([id, stored]) => [id, { ...stored, life: service.live(id) }])),
      instances: new Set([...stateBefore.values()].map(uidOf)),
      isTainted: (id) => [...stateBefore.values()].some((each) => each.isTainted && idOf(each) === id),
      elsewhere: elsewhere.map(({ id }) => id),
      // Hooks take an object that the code declares or has declared for the one in the state.
      looksAlike: () =>
        lookalikes.some(({ id, service: at }) =>
          [id, ...declaredBy(program), ...applied].some((each) => this.#services[at]!.hasLived(each, startedAt)),
        ),
      keepsHook: (block) => blocks.has(block) || removed.has(block),
      blockOf: (id) => parseInstance(addressOf(program.engine, platformOf(program, id), id)).block,
      isHere: serviceAt(program.url ?? url) === index || serviceAt(program.beside?.url) === index,
      urls,
      isOfHere: (line) => serviceAt(urlOfPlatform(program, line.split(": ")[0]!.includes(`${LAB}_`) ? LAB : "") ?? url) === index,
      isPlanned: (id) => isApply && isPlanned(id),
      files: computer.files,
      isFollowing: this.#isFollowing,
      hadOrphanCheck: isProvider
        ? has("ready.ready") || (blocks.has("clusterplatform_ready.ready") && (!isDestroy || plansDeclared))
        : has("orphan_check") && (!isDestroy || has("orphan_check_on_destroy")),
      readyOf: (id) => blockAddress(PLUGIN_READY_TYPE, pluginReadyId(platformPrefix(platformOf(program, id)))),
      looksWith,
      hadGuard: isProvider || hasOwn("deletion_guard", ...(isDestroy ? (["protection"] as const) : [])),
      isRemote: backend.isRemote,
    }));
  }

  /** It knows nothing of the first run. */
  /** @param faults they hit the requests of both runs */
  async #beside(
    { seconds, ...given }: NonNullable<Step["beside"]>,
    faults: Step["faults"],
    workspace: Workspace,
  ): Promise<() => void> {
    const step: Step = { ...given, ...(faults && { faults }) };
    for (const judge of this.judges) judge.statesAreLost();
    await this.kernel.sleep(seconds * 1000);
    const computer = this.#computerOf(step);
    const run = this.#terraform(step.program, ++this.runs, computer, RUN_ENV, workspace);
    const judged = this.#judged(run, step, step, workspace, computer);
    this.#begin(judged);
    const outcome = await this.#carriedOut(run, step, workspace);
    return () => {
      this.log.push(
        `beside run ${run.actor.run} on ${computer.name}: ${outcome.ok ? "succeeds" : "FAILS"}`,
        ...outputOf(outcome),
      );
      this.#conclude(judged, run, outcome, workspace, 0);
    };
  }

  #begin(judged: readonly Judged[]): void {
    for (const [index, judge] of this.judges.entries()) judge.begin(judged[index]!);
    this.conduct.begin(judged[0]!);
  }

  /** @param seconds how long the run took; 0 if another one ran beside it */
  #conclude(judged: readonly Judged[], run: Terraform, outcome: Outcome, workspace: Workspace, seconds: number): void {
    const said = [...outcome.said, ...outcome.errors];
    const { backend } = workspace;
    const traces = { said, instances: backend.state.values(), changes: run.planned };
    this.conduct.after(judged[0]!, outcome, this.#stored(backend, 0), seconds, traces);
    this.judges[0]!.words(outcome);
    const others = Object.values(this.#workspaces).filter((each) => each !== workspace);
    for (const [index, judge] of this.judges.entries()) {
      const elsewhere = new Set(others.flatMap((other) => [...this.#stored(other.backend, index).keys()]));
      judge.after(judged[index]!, outcome, this.#stored(backend, index), said, elsewhere);
    }
  }

  #terraform(
    program: Program,
    run: number,
    computer: Computer,
    env: Readonly<Record<string, string>>,
    { name, backend }: Workspace,
  ): Terraform {
    return new Terraform(this.world, { name: `run ${run}`, run }, configurationFor(program), backend, env, computer, name);
  }

  async #carriedOut(run: Terraform, step: Step, workspace: Workspace): Promise<Outcome> {
    const { program, operation, import: imported, replace, target, withoutRefresh } = step;
    if (imported) return run.import(this.#addressOf(program, imported.name), imported.id);
    if (operation === "apply the plan") return run.applySaved(workspace.plan!.saved);
    const options: PlanOptions = {
      destroy: operation === "destroy" || operation === "plan a destroy",
      replace: replace?.map((name) => this.#addressOf(program, name)),
      target: target?.map((name) => this.#addressOf(program, name)),
      refresh: !withoutRefresh,
    };
    if (operation !== "plan" && operation !== "plan a destroy") return run.apply(options);
    const { saved, ...outcome } = await run.plan(options);
    if (saved) workspace.plan = { saved, step };
    return outcome;
  }

  #computerOf({ computer = "A" }: Step): Computer {
    return computer === "new" ? new Computer(`new ${++this.#newComputers}`) : this.#computers[computer];
  }

  #addressOf(program: Program, name: ObjectName | SupportResource): string {
    if (isSupport(name))
      return program.engine === "provider" ? `clusterplatform_${name}.${name}` : supportAddress(supportId("", name));
    const id = name === PROVIDER ? `capvs/providers/${name}` : clusterId(name);
    return addressOf(program.engine, this.#missesBeside(program, id) ? besideOf(program) : platformOf(program, id), id);
  }

  /** Whether only the second service lacks an object that both should have. Messages have its address, and remedies do not. */
  #missesBeside(program: Program, id: string): boolean {
    const [first, second] = [program.url ?? URLS[0], program.beside?.url].map((url) => this.#services[serviceAt(url) ?? -1]);
    if (!second || !declaredOn(program, besideOf(program)).includes(id)) return false;
    return first?.live(id) !== undefined && second.live(id) === undefined;
  }

  #editState({ state, program }: Step, backend: Backend): void {
    if (!state) return;
    const address = this.#addressOf(program, state.name);
    const instance = backend.state.get(address);
    if (!instance) return;
    const after = new Map(backend.state);
    if (state.act === "mv") {
      const to = this.#addressOf(program, state.to);
      if (!backend.state.has(to)) write(backend, movedByHand(backend.state, address, to));
      return;
    }
    const judge = this.judges[this.#homes.get(uidOf(instance)) ?? 0]!;
    if (state.act === "rm") {
      after.delete(address);
      judge.release(idOf(instance));
    } else {
      after.set(address, { ...instance, isTainted: state.act === "taint" });
      if (state.act === "untaint") {
        judge.accept(idOf(instance));
        if (!this.#isFollowing && !this.#services.some((service) => service.live(idOf(instance)!))) this.#untaintedMissing++;
      } else judge.taint(idOf(instance));
    }
    write(backend, after);
  }

  #other({ act, name, variant, url, on }: NonNullable<Step["other"]>): void {
    const service = this.#services[serviceAt(url) ?? 0]!;
    const kind = name === PROVIDER ? "providers" : "clusters";
    this.kernel.as(undefined, () => {
      if (act !== "creates") service.otherRemoves(kind, "capvs", name);
      if (act === "deletes") return;
      // As on the wire. In Jest, structuredClone makes objects with other prototypes, which equal no declaration.
      const text = JSON.stringify(bodyOf(name, variant, name === PROVIDER ? undefined : on));
      const body = JSON.parse(text, (_, value: unknown) => (isSecretReference(value) ? "secret" : value)) as JsonObject;
      service.otherCreates(kind, "capvs", body);
    });
  }

  #stop(run: Terraform, how: Stop, before: Effect): void {
    this.moments.add(how, before);
    this.log.push(`  * ${how} before ${before}`);
    if (how === "SIGINT") run.interrupt();
    if (how === "SIGINT to all") run.interruptAll("SIGINT");
    if (how === "SIGTERM to all") run.interruptAll("SIGTERM");
    if (how === "SIGKILL of the children") run.killChildren();
    if (how === "SIGKILL of a child") run.killChild();
    if (how === "SIGKILL of Terraform") run.kill({ withChildren: false });
    if (how === "the machine dies") run.kill({ withChildren: true });
  }

  /** The objects in the state that were created on another service than the one that a run uses for them. */
  #elsewhere({ state }: Backend, program: Program, url: string): { readonly id: string; readonly service: number }[] {
    return [...state.values()].flatMap((instance) => {
      const [id, service] = [idOf(instance), serviceAt(urlOf(program, instance.block) ?? url)!];
      // An instance of a run that has not ended has no home yet.
      const home = this.#homes.get(uidOf(instance)) ?? service;
      return id === undefined || home === service ? [] : [{ id, service }];
    });
  }

  /** The objects in the state that were created on a service. */
  #stored({ state }: Backend, service: number): Map<string, Stored> {
    const stored = new Map<string, Stored>();
    for (const instance of state.values()) {
      const id = idOf(instance);
      // After a move by hand, another instance may be about the same object.
      if (id && this.#homes.get(uidOf(instance)) === service && !(stored.has(id) && instance.isTainted))
        stored.set(id, {
          id,
          block: instance.block,
          isTainted: instance.isTainted,
          instance: uidOf(instance),
          program: this.#programs.get(uidOf(instance)),
        });
    }
    return stored;
  }

  /** Rule 5: when faults end, following the remedies leads to an empty plan and the declared objects. */
  /** @returns a step that changes nothing, if it comes so far */
  async #converges({ program, workspace, url }: Step): Promise<Step | undefined> {
    for (const service of this.#services) service.behave();
    this.#isFollowing = true;
    const right = (given: string | undefined) => (given === URLS[1] ? URLS[0] : given);
    const calm: Program = {
      ...program,
      allowDeletion: program.isProtected ? [...NAMES] : [],
      retain: [],
      ...(program.url && { url: right(program.url) }),
    };
    const at = this.#workspaces[workspace ?? "default"];
    const settings = { ...(workspace && { workspace }), ...(url && { url: right(url) }) };
    // A person has to take them out of the state.
    if (this.#elsewhere(at.backend, calm, settings.url ?? URLS[0]).length > 0) return undefined;
    const here = calm.url ?? settings.url ?? URLS[0];
    const moved = [...at.backend.state.values()].filter((each) => (serviceOf(each) ?? here) !== here);
    const names = moved.map(({ attributes }) => attributes.name as ObjectName);
    // The new URL alone.
    if (names.length > 0 && !(await this.#attempt({ program: calm, ...settings, target: names }))) return undefined;
    let step: Step = { program: calm, ...settings, wait: NOTHING_IS_LATE_SECONDS };
    const refusals: Outcome[] = [];
    for (let count = 0; count < RUNS_OUT + this.#untaintedMissing; count++) {
      if (count === RUNS_OUT) this.judges[0]!.excuse("untainted and missing");
      const outcome = await this.#attempt(step);
      if (this.violations.length > 0 || !outcome) return undefined;
      if (!outcome.ok) refusals.push(outcome);
      const plan = outcome.ok ? await this.#planned(step, at) : undefined;
      const next = this.#following(plan ? plan.advice : outcome.remedies, step, at.backend);
      if (plan && next === undefined) {
        this.#hasConverged(step, at, outcome, plan);
        return { program: step.program, ...settings };
      }
      const following = next ?? { program: step.program };
      step = { ...following, program: this.#corrected(following.program, outcome, at.backend), ...settings };
    }
    const remedies = refusals.flatMap((refusal) => refusal.remedies);
    // The code allows all deletions already.
    const isPersons = remedies.some(isDecision) && !remedies.some(({ code }) => code === "ALLOW_DELETION");
    if (!isPersons) {
      const codes = refusals.flatMap((refusal) => refusal.codes).join(", ");
      this.judges[0]!.violated("5 remedies do not lead to the declared state", `${codes}\n${this.log.at(-1)}`);
    }
    return undefined;
  }

  /** Rule 7: if somebody changes one object of a stack, `drift` says so, and any of its repairs repairs it. */
  async #repairs(program: Program): Promise<void> {
    const draw = new Draw(randomFrom(this.seed + 1));
    const names = NAMES.filter((each) => program.clusters[each] !== undefined);
    const name: ObjectName = names.length > 0 ? draw.one(...names) : PROVIDER;
    const id = name === PROVIDER ? `capvs/providers/${name}` : clusterId(name);
    const { backend } = this.#workspaces.default;
    const violated = (rule: string, text: string) => this.judges[0]!.violated(`7 ${rule}`, text);
    const before = this.service.live(id);
    // What an exception has left is not the person's doing.
    if (before && !isAsDeclared(program, id, before.object.body)) return;
    if (driftIn(backend.state, this.service).some(({ drift }) => drift !== "UNMANAGED")) return;
    const event = draw.one("deletes", "recreates", "recreates on another", "taint");
    this.log.push(`somebody: ${event} ${id}`);
    if (event === "taint") this.#editState({ program, state: { act: "taint", name } }, backend);
    else {
      const variant = (((name === PROVIDER ? (program.provider ?? 0) : program.clusters[name]!) + 1) % 2) as Variant;
      const on = event === "recreates on another" && name !== PROVIDER ? { on: "another" } : {};
      this.#other({ act: event === "deletes" ? "deletes" : "recreates", name, variant, ...on });
    }
    // A registration in use stays.
    if (event !== "taint" && this.service.live(id) === before) return;
    await this.kernel.pass(600_000);
    const found = () => driftIn(backend.state, this.service).find(({ object }) => object === id);
    const finding = found();
    if (!finding) return violated("drift does not see a change", event);
    const ways = finding.repairs.flatMap(
      (repair) => following(repair, finding, program, this.#declaringLive(program, objectOf(id))) ?? [],
    );
    if (ways.length === 0) return;
    const { steps, untainted } = draw.one(...ways);
    const counted = `${event}: ${finding.drift}`;
    this.repairs.set(counted, (this.repairs.get(counted) ?? 0) + 1);
    if (untainted) write(backend, new Map(backend.state).set(untainted, { ...backend.state.get(untainted)!, isTainted: false }));
    for (const step of steps) {
      const outcome = await this.#attempt(step);
      if (this.violations.length > 0 || !outcome) return;
      const isOfAnother = outcome.codes.join() === "STILL_LIVE" && !outcome.remedies.some((remedy) => isAbout(remedy, id));
      if (!outcome.ok && isOfAnother) return;
      const isMadeElsewhere = [id, `capvs/providers/${PROVIDER}`].some((each) =>
        this.judges[0]!.isMadeElsewhere(each, this.#computers.A.name),
      );
      const isOfOldNote = isMadeElsewhere && ["ADOPT_MISMATCH", "READY_TIMEOUT"].includes(outcome.codes.join());
      if (isOfOldNote) return this.judges[0]!.excuse("another machine");
      if (!outcome.ok) return violated(`a repair of ${finding.drift} fails with ${outcome.codes.join(" and ")}`, event);
    }
    const rest = found();
    // The stack has let it go.
    if (rest && rest.drift !== "UNMANAGED")
      return violated(`a repair of ${finding.drift} repairs nothing`, `${event}: ${rest.drift}`);
    const { changes, errors } = await this.#planned({ program: steps.at(-1)?.program ?? program }, this.#workspaces.default);
    if (changes.length + errors.length > 0)
      violated(`the plan after a repair of ${finding.drift} is not empty`, [...changes, ...errors].join(", "));
  }

  /** What the words of a refusal say about the code. */
  #corrected(program: Program, { codes, errors }: Outcome, { state }: Backend): Program {
    if (errors.some((error) => error.includes("Set engine: Engine.TERRAFORM_DATA")))
      return { ...program, engine: "terraform_data" };
    if (!["PROTECTED", "TERRAFORM"].some((code) => codes.includes(code))) return program;
    const { carrier = "Platform", platform, beside } = program;
    if (carrier === "Platform" && beside)
      return {
        ...program,
        retain: declaredBy(program).filter((id) => [...state.values()].some((each) => idOf(each) === id)),
      };
    const first = [...state.values()].find(({ block }) => isOfLab(block) !== (platform === LAB));
    if (carrier === "Platform" && !first) return program;
    const url = first && URLS[this.#homes.get(uidOf(first))!];
    if (url === URLS[1]) return { ...program, carrier: "Platform", beside: { clusters: {}, url } };
    return { ...program, carrier: "Platform", ...(first && { platform: isOfLab(first.block) ? LAB : undefined }) };
  }

  #planned(step: Step, workspace: Workspace): Promise<Outcome> {
    const env = environmentOf({ program: step.program, url: step.url });
    return this.kernel.play(this.#terraform(step.program, ++this.runs, this.#computers.A, env, workspace).plan());
  }

  #hasConverged({ program, url }: Step, { name }: Workspace, last: Outcome, { changes, errors }: Outcome): void {
    for (const [index, judge] of this.judges.entries()) {
      judge.converged(partOn(program, index, url ?? URLS[0]), last, { isRemote: this.setup.isRemote, workspace: name });
    }
    if (changes.length + errors.length > 0)
      this.judges[0]!.violated("5 the plan is not empty", [...changes, ...errors].join(", "));
  }

  /** The next step of a person who follows remedies. Undefined if none of them says more than to apply again. */
  #following(
    remedies: readonly Remedy[],
    { program, acceptGone, replace: replaced = [] }: Step,
    backend: Backend,
  ): Step | undefined {
    const [adopt, gone, replace] = [new Set<string>(), new Set<string>(), new Set<ObjectName>()];
    let [code, wait] = [program, 0];
    for (const remedy of remedies) {
      const objects = "objects" in remedy ? remedy.objects : [];
      const [ids, names] = [objects.map(refId), objects.map(({ name }) => name as ObjectName)];
      switch (remedy.code) {
        case "APPLY":
          // The longest time that a message names is an hour, and it is over before the last run.
          wait = 1_200;
          break;
        case "ADOPT":
        case "ADOPT_AND_REMOVE":
          ids.forEach((id) => adopt.add(id));
          break;
        case "ACCEPT_GONE":
          ids.forEach((id) => gone.add(id));
          // The same command again, with the variable.
          replaced.forEach((name) => replace.add(name));
          break;
        case "RECREATE_MISSING":
          // With the provider, a plan sees what is missing.
          if (remedy.all || program.engine !== "provider")
            [...ids, ...(remedy.removed ?? []).map(refId)].forEach((id) => gone.add(id));
          if (program.engine !== "provider") names.forEach((name) => replace.add(name));
          break;
        case "REPLACE":
          names.forEach((name) => replace.add(name));
          break;
        case "MOVE_BACK":
          moveBack(backend, remedy);
          // The same command again.
          acceptGone?.split(",").forEach((id) => gone.add(id));
          replaced.forEach((name) => replace.add(name));
          break;
        case "REMOVE_INSTANCE":
          removeInstance(backend, remedy.address);
          break;
        case "DECLARE_LIVE":
          code = objects.reduce((before, object) => this.#declaringLive(before, object), code);
      }
    }
    // It is one or the other.
    if (replace.size > 0) code = program;
    const step = {
      program: code,
      ...(wait > 0 && { wait }),
      ...(adopt.size > 0 && { adopt: [...adopt] }),
      ...(gone.size > 0 && { acceptGone: [...gone].join(",") }),
      ...(replace.size > 0 && { replace: [...replace] }),
    };
    return Object.keys(step).length > 1 || code !== program ? step : undefined;
  }

  /** The program with the declaration that the live object has, if there is one. */
  #declaringLive(program: Program, object: ObjectRef): Program {
    const live = this.service.live(refId(object));
    const programs = ([0, 1, 2] as const).map((variant): Program => {
      if (object.kind === "providers") return { ...program, provider: variant === 1 ? 1 : 0 };
      return { ...program, clusters: { ...program.clusters, [object.name]: variant } };
    });
    return programs.find((each) => live && isAsDeclared(each, live.id, live.object.body)) ?? program;
  }
}

/** Whether changes delete or replace an object. */
function isLeaving(changes: readonly Change[], id: string): boolean {
  return changes.some(({ action, prior }) => (action === "delete" || action === "replace") && prior && idOf(prior) === id);
}

/** Whether nothing goes wrong in a run of a plan, and nobody else does anything meanwhile. */
function isReviewable({ other, ...step }: Step, { operation = "apply" }: Step): boolean {
  const isBefore = other === undefined || other.at === undefined;
  return isBefore && Object.keys(step).every((key) => REVIEWABLE.has(key)) && APPLIES.has(operation);
}

const REVIEWABLE: ReadonlySet<string> = new Set<keyof Step>([
  "program",
  "operation",
  "workspace",
  "computer",
  "wait",
  "url",
  "adopt",
  "acceptGone",
  "state",
  "replace",
  "target",
  "withoutRefresh",
]);
const APPLIES: ReadonlySet<string> = new Set<NonNullable<Step["operation"]>>(["apply", "destroy"]);

/** What a run has done to an object on a service. */
function fateOf(before: Life | undefined, after: Life | undefined, run: number): Fate {
  if (!before) return after ? (after.by.run === run ? "created" : "taken") : "absent";
  if (before === after) return "stays";
  if (before.removedBy?.run !== run) return "taken";
  return after ? "replaced" : "deleted";
}

/** Whether the stack has one Platform on the first service, and the run has the first workspace. */
function isPlain({ program, workspace, url }: Step): boolean {
  const { carrier = "Platform", platform, beside, url: inCode } = program;
  return carrier === "Platform" && !platform && !beside && !inCode && !workspace && !url;
}

const METHODS = ["GET", "POST", "DELETE"] as const;
const REFUSED = { skip: 0, times: Infinity, fault: { kind: "refuse", status: 401 } } as const;

function environmentOf({ lacks, url, adopt, acceptGone }: Step): Readonly<Record<string, string>> {
  const all: Record<string, string> = { ...RUN_ENV };
  if (lacks) delete all[lacks];
  return {
    ...all,
    ...(url && { CLUSTER_PLATFORM_URL: url }),
    ...(adopt && { CLUSTER_PLATFORM_ADOPT: adopt.join(",") }),
    ...(acceptGone && { CLUSTER_PLATFORM_ACCEPT_GONE: acceptGone }),
  };
}

function moveBack(backend: Backend, { from, to }: { readonly from: string; readonly to: string }): void {
  if (backend.state.has(to)) removeInstance(backend, from);
  else write(backend, movedByHand(backend.state, from, to));
}

function removeInstance(backend: Backend, address: string): void {
  const after = new Map(backend.state);
  after.delete(address);
  write(backend, after);
}

function write(backend: Backend, state: State): void {
  backend.state = state;
  backend.serial++;
}

function outputOf({ said, errors }: Outcome): string[] {
  return [...said.map((line) => `    ${line}`), ...errors.map((line) => `  ! ${line}`)];
}

const NOTHING_DONE: Outcome = {
  ok: false,
  wasKilled: false,
  errors: [],
  codes: [],
  said: [],
  changes: [],
  remedies: [],
  advice: [],
};

/** What the saved plan does, in the environment of the step that applies it. Undefined if there is no plan. */
function meantBy(applying: Step, { plan }: Workspace): Step | undefined {
  if (!plan) return undefined;
  const { program, operation, replace, target, withoutRefresh, adopt, acceptGone } = plan.step;
  return {
    ...applying,
    ...{ program, replace, target, withoutRefresh },
    operation: operation === "plan a destroy" ? "destroy" : "apply",
    adopt: applying.adopt ?? adopt,
    acceptGone: applying.acceptGone ?? acceptGone,
  };
}

function isSupport(name: ObjectName | SupportResource): name is SupportResource {
  return (SUPPORT_RESOURCES as readonly string[]).includes(name);
}

/** The object of an instance; undefined for support resources, and for an instance of hooks that was imported. */
export function idOf({ block, attributes }: Instance): string | undefined {
  const [, type, kind] =
    /^[a-z_]+\.(?:lab_)?([a-z0-9]+)_(provider|cluster)s(?:_moving_\w+)?$/.exec(block) ??
    /^clusterplatform_([a-z0-9]+)_(provider|cluster)\./.exec(block) ??
    [];
  const triggers = (attributes.triggers ?? attributes.triggers_replace) as ObjectValue | null | undefined;
  const name = (triggers ?? attributes).name;
  return kind === undefined || typeof name !== "string" ? undefined : `${type}/${kind}s/${name}`;
}

/** Tells the instance apart from all others. */
/** What the provider notes. */
function serviceOf({ attributes }: Instance): string | undefined {
  return attributes.service as string | undefined;
}

/** What the state says of the declaration of an object, without settings and what a refresh writes. */
function declaredIn(instance: Instance | undefined): ObjectValue {
  const { drift: _, kubernetes_versions: __, deletion_protection: ___, adopt: ____, ...declared } = instance?.attributes ?? {};
  return declared;
}

function uidOf({ attributes }: Instance) {
  return attributes.uid ?? attributes.id;
}

function isAbout(remedy: Remedy, id: string): boolean {
  return "objects" in remedy && remedy.objects.some((object) => refId(object) === id);
}

/** The object that a change of a plan is about, as its address tells. */
function idInChange(change: string): string | undefined {
  const address = change.slice(change.indexOf(" ") + 1);
  const [, type, kind, name] =
    /^[a-z_]+\.(?:lab_)?([a-z0-9]+)_(provider|cluster)s(?:\["|_moving_)(\w+)/.exec(address) ??
    /^clusterplatform_([a-z0-9]+)_(provider|cluster)\.(?:lab_)?(\w+)/.exec(address) ??
    [];
  return kind === undefined ? undefined : `${type}/${kind}s/${name}`;
}

function isOfLab(block: string): boolean {
  return block.includes(`.${LAB}_`);
}

/** The URL that the code has for the Platform of a block. */
function urlOf(program: Program, block: string): string | undefined {
  return urlOfPlatform(program, isOfLab(block) ? LAB : "");
}

/** @param name empty for a Platform without a name */
function urlOfPlatform({ platform, beside, url }: Program, name: string): string | undefined {
  const isOfBeside = beside !== undefined && (name === LAB) !== (platform === LAB);
  return (isOfBeside ? beside.url : undefined) ?? url;
}
