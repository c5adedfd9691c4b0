import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../src/model/provider-type";
import { isSecretReference } from "../../src/model/secret-reference";
import { followDrift, isPlain } from "./drifted";
import { isClear, isReviewable, judgeReview, lookOf } from "./forecasts";
import { declaredIn, idOf, uidOf, urlOf } from "./instances";
import type { Judged } from "./judge";
import type { Computer, Effect } from "./kernel";
import { bodyOf, isOtherwise, partOn, PROVIDER, RUN_ENV, serviceAt } from "./programs";
import { converges } from "./remedied";
import { isApplying, judgedOf } from "./run-facts";
import { GOOD_HABITS } from "./service";
import { environmentOf, Stage, type Workspace } from "./stage";
import { editState } from "./state-edits";
import type { Moment, Step, Stop } from "./steps";
import type { PlanOptions } from "./terraform/plan-walk";
import { addressIn, type State } from "./terraform/state";
import type { Backend, Outcome, Terraform } from "./terraform/terraform";

type StopBefore = (effect: Effect, nth: number) => Stop | undefined;

/** Plays one sequence on its stage. */
export class Play extends Stage {
  /**
   * Plays until the first violation.
   * @param next the next step, after it is known whether the one before succeeded
   * @param stopBefore how a run is stopped before the nth effect of a kind, if its step does not say so
   */
  async play(next: (wasOk: boolean) => Step | undefined, stopBefore?: StopBefore): Promise<void> {
    let wasOk = true;
    for (let step = next(wasOk); step !== undefined; step = next(wasOk)) {
      this.steps.push(step);
      const outcome = await this.attempt(step, stopBefore);
      if (this.violations.length > 0) return;
      wasOk = outcome!.ok;
    }
    const last = this.steps.at(-1);
    if (!last || this.steps.some(({ beside }) => beside)) return;
    const calm = await converges(this, last);
    if (calm && this.violations.length === 0 && this.setup.hasForecasts && isPlain(calm)) await followDrift(this, calm.program);
  }

  async attempt(step: Step, stopBefore?: StopBefore): Promise<Outcome | undefined> {
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
    const computer = this.computerOf(step);
    service.forgetFaults();
    if (step.isTokenWrong) for (const method of METHODS) service.plan({ method, ...REFUSED });
    step.faults?.forEach((fault) => service.plan(fault));
    service.habits = { ...GOOD_HABITS, ...step.habits };
    const workspace = this.workspaces[step.workspace ?? "default"];
    const { backend } = workspace;
    editState(this, step, backend);
    const meant = step.operation === "apply the plan" ? meantBy(step, workspace) : step;
    if (!meant) return NOTHING_DONE;
    const { program } = meant;
    const number = ++this.runs;
    const env = environmentOf(meant);
    const run = this.terraform(program, number, computer, env, workspace);
    const judged = judgedOf(this, run, step, meant, workspace, computer);
    this.#begin(judged);
    const beside = step.beside && this.#beside(step.beside, step.faults, workspace);
    const firstLogs = this.services.map(({ log }) => log.length);
    const started = kernel.now;
    this.#disturb(run, step, meant, computer, stopBefore);
    const wasClear = setup.hasForecasts === true && isClear(this, program);
    const lookAt =
      wasClear && isReviewable(step, meant, setup.isOpenTofu ?? false) ? lookOf(this, computer, workspace, env) : undefined;
    const lives = this.lives();
    const stateBefore = backend.state;
    const [outcome, concludeBeside] = await kernel.play(Promise.all([this.#carriedOut(run, step, workspace), beside]));
    kernel.onEffect = undefined;
    computer.folder = "writable";
    this.#recognize(step, meant, outcome, backend.state, stateBefore);
    this.#tell(step, number, computer, outcome, backend, started, firstLogs);
    this.endedAt = kernel.now;
    this.#conclude(judged, run, outcome, workspace, step.beside ? 0 : (kernel.now - started) / 1000);
    concludeBeside?.();
    if (setup.hasForecasts && judged[0]!.isApply) judgeReview(this, judged, run, outcome, workspace, lives, started, lookAt);
    return outcome;
  }

  /** What goes wrong in the run: at once, and before effects of its processes. */
  #disturb(run: Terraform, step: Step, meant: Step, computer: Computer, stopBefore: StopBefore | undefined): void {
    const { service } = this;
    const { view, other, folder } = step;
    const effects = new Map<Effect, number>();
    this.kernel.onEffect = (effect) => {
      const nth = (effects.get(effect) ?? 0) + 1;
      effects.set(effect, nth);
      const isNow = (moment: Moment | undefined) => moment?.before === effect && moment.nth === nth;
      if (view && isNow(view.at)) service.show(view.view, view.seconds);
      if (folder && isNow(folder.at)) computer.folder = folder.is;
      if (other && isNow(other.at)) {
        this.moments.add(`somebody ${other.act}`, effect);
        this.somebodyElse(other);
      }
      const how = step.stop ? undefined : stopBefore?.(effect, nth);
      if (how) step.stop = meant.stop = { at: { before: effect, nth }, how };
      if (step.stop && isNow(step.stop.at)) this.#stop(run, step.stop.how, effect);
    };
    if (view && !view.at) service.show(view.view, view.seconds);
    if (folder && !folder.at) computer.folder = folder.is;
    if (other && !other.at) this.somebodyElse(other);
  }

  /** Remembers on which service each instance in the state was created, and the program whose declaration it has. */
  #recognize(step: Step, meant: Step, outcome: Outcome, state: State, before: State): void {
    const { program } = meant;
    const url = environmentOf(meant).CLUSTER_PLATFORM_URL!;
    const isApply = isApplying(step);
    for (const [address, instance] of state) {
      const id = uidOf(instance);
      const home = serviceAt(urlOf(program, instance.block) ?? url)!;
      if (!this.homes.has(id)) this.homes.set(id, home);
      if (step.import) this.imported.add(id);
      const isChecked = !this.imported.has(id) || (isApply && outcome.ok && !meant.target);
      const claimed = this.programs.get(id);
      const isWritten = outcome.ok || !isDeepStrictEqual(declaredIn(before.get(address)), declaredIn(instance));
      const isClaimedAnew = claimed !== undefined && isWritten && isApply && !meant.target;
      const isTakenOver = isClaimedAnew && program.engine === "provider" && isOtherwise(claimed, program, idOf(instance));
      if (!step.import && isChecked && (!claimed || isTakenOver)) this.programs.set(id, partOn(program, home, url));
    }
  }

  /** @param firstLogs how many requests each service had got before */
  #tell(
    step: Step,
    number: number,
    computer: Computer,
    outcome: Outcome,
    backend: Backend,
    started: number,
    firstLogs: readonly number[],
  ): void {
    this.log.push(
      `run ${number} on ${computer.name}: ${step.import ? "import" : (step.operation ?? "apply")} ${outcome.ok ? "succeeds" : outcome.wasKilled ? "is killed" : "FAILS"} after ${(this.kernel.now - started) / 1000} s: ${JSON.stringify(step)}`,
      ...outputOf(outcome),
      ...this.services.flatMap(({ log, url: at }, index) =>
        log.slice(firstLogs[index]).flatMap(({ at: time, method, path, outcome: result, by }) => {
          const where = index === 0 ? path : at + path;
          return method === "GET" && result === "200"
            ? []
            : [`  > ${(time - started) / 1000} s ${by.name} ${method} ${where}: ${result}`];
        }),
      ),
      `  state: ${[...backend.state.values()].flatMap((each) => (idOf(each) ? [addressIn(each) + (each.isTainted ? " (tainted)" : "")] : [])).join(", ")}`,
      ...this.services.map(
        ({ allLive }, index) =>
          `  live${index === 0 ? "" : " elsewhere"}: ${allLive.map(({ id, by }) => `${id} by ${by.name}`).join(", ")}`,
      ),
    );
  }

  /**
   * A run that knows nothing of the first one.
   * @param faults they hit the requests of both runs
   */
  async #beside(
    { seconds, ...given }: NonNullable<Step["beside"]>,
    faults: Step["faults"],
    workspace: Workspace,
  ): Promise<() => void> {
    const step: Step = { ...given, ...(faults && { faults }) };
    for (const judge of this.judges) judge.statesAreLost();
    await this.kernel.sleep(seconds * 1000);
    const computer = this.computerOf(step);
    const run = this.terraform(step.program, ++this.runs, computer, RUN_ENV, workspace);
    const judged = judgedOf(this, run, step, step, workspace, computer);
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
    this.conduct.after(judged[0]!, outcome, this.stored(backend, 0), seconds, traces);
    this.judges[0]!.words(outcome);
    const others = Object.values(this.workspaces).filter((each) => each !== workspace);
    for (const [index, judge] of this.judges.entries()) {
      const elsewhere = new Set(others.flatMap((other) => [...this.stored(other.backend, index).keys()]));
      judge.after(judged[index]!, outcome, this.stored(backend, index), said, elsewhere);
    }
  }

  async #carriedOut(run: Terraform, step: Step, workspace: Workspace): Promise<Outcome> {
    const { program, operation, import: imported, replace, target, withoutRefresh } = step;
    if (imported) return run.import(this.addressOf(program, imported.name), imported.id);
    if (operation === "apply the plan") return run.applySaved(workspace.plan!.saved);
    const options: PlanOptions = {
      destroy: operation === "destroy" || operation === "plan a destroy",
      replace: replace?.map((name) => this.addressOf(program, name)),
      target: target?.map((name) => this.addressOf(program, name)),
      refresh: !withoutRefresh,
    };
    if (operation !== "plan" && operation !== "plan a destroy") return run.apply(options);
    const { saved, ...outcome } = await run.plan(options);
    if (saved) workspace.plan = { saved, step };
    return outcome;
  }

  /** What somebody else does on a service. */
  somebodyElse({ act, name, variant, url, on }: NonNullable<Step["other"]>): void {
    const service = this.services[serviceAt(url) ?? 0]!;
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

  planned(step: Step, workspace: Workspace): Promise<Outcome> {
    const env = environmentOf({ program: step.program, url: step.url });
    return this.kernel.play(this.terraform(step.program, ++this.runs, this.computers.A, env, workspace).plan());
  }
}

/** What goes wrong if the service refuses the token. */
const METHODS = ["GET", "POST", "DELETE"] as const;

const REFUSED = { skip: 0, times: Infinity, fault: { kind: "refuse", status: 401 } } as const;

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
