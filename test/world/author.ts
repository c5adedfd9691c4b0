import { SUPPORT_RESOURCES, type SupportResource } from "../../src/contract/addresses";
import { type Kind, singular } from "../../src/model/provider-type";
import { Draw } from "./draw";
import type { Effect } from "./kernel";
import { clusterId, LAB, NAMES, type Name, type ObjectName, type Program, PROVIDER, URLS, type Variant } from "./programs";
import type { Fault, Habits, PlannedFault, View } from "./service";
import { ACTS, EFFECTS, type Moment, type Scope, type Setup, type Step, type Stop, STOPS } from "./steps";

/** What a sequence is about, besides clusters and faults. In a scene, programs have fewer peculiarities, because each is synthesized. */
type Scene = "plain" | "services" | "platforms";

/** Writes a sequence, one step after another, and knows how the step before ended. */
export class Author {
  readonly setup: Setup;
  #steps: number;
  #clusters: Program["clusters"] = {};
  #provider: 0 | 1 = 0;
  #hasBegun = false;
  #isPlanned = false;
  /** Whether people declare again and adopt whatever a failed run may have left, in a dense sequence. */
  #isRecovering = false;
  /** Whether something may stop the run, in a dense sequence. */
  #mayBeStopped = false;
  readonly #hasWorkspaces: boolean;
  /** What the programs before declared. */
  readonly #earlier: Program["clusters"][] = [];
  readonly #draw: Draw;
  /** What this sequence is about. Rare things that need each other come together so. */
  readonly #focus: ReadonlySet<Rare>;
  /** These come again and again, because much goes wrong only if the same happens twice, or if all of it is about one object. */
  readonly #name: Name;
  readonly #fault: PlannedFault;
  readonly #moment: Moment;
  readonly #view: View;
  readonly #habits: Partial<Habits>;
  /** Whether the step before failed. */
  #isTroubled = false;
  /** Names that leave the code with the next step. */
  #leaving: readonly Name[] = [];
  /** Whether the last run has destroyed everything. */
  #isDestroyed = false;
  /** The writes that the next run probably sends. A stop before another one, or a fault of it, would do nothing. */
  #writes: readonly (typeof WRITES)[number][] = ["POST"];
  /** Whether what the sequence is not about happens less often. Much goes wrong only if nothing else does. */
  readonly #isPure: boolean;
  /** Whether people also do what they do rarely: imports, saved plans, other workspaces, wrong tokens and the like. */
  readonly #hasDetours: boolean;
  readonly #scene: Scene;
  readonly #isUrlInCode: boolean;
  /** The service's, since it has moved. */
  #url: string | undefined;
  #lastUrl: string | undefined;
  /** What the step before declares. */
  #lastProgram: Program | undefined;
  /** What programs have besides their clusters, in some scenes. */
  #more: Partial<Program> = {};
  /** The clusters of the second Platform. */
  #beside: readonly Name[] = [];

  constructor(
    random: () => number,
    private readonly scope: Scope,
  ) {
    const draw = (this.#draw = new Draw(random));
    this.#scene = scope.scenes ? draw.one<Scene>("plain", "services", "platforms") : "plain";
    const isPlain = this.#scene === "plain";
    this.#isUrlInCode = draw.once(2);
    this.#name = draw.one("c1", "c1", "c2", "c3");
    this.#fault = this.#anyFault("GET", "POST", "DELETE");
    const { method } = this.#fault;
    this.#isPure = draw.once(3);
    this.#moment = draw.once(this.#isPure ? 5 : 2)
      ? this.#anyMoment("POST", "DELETE")
      : { before: draw.one(...effectsOf(method)), nth: draw.one(1, 1, 2) };
    this.setup = {
      engine: draw.one(...scope.engines),
      isRemote: draw.once(5),
      isProtected: draw.once(this.#isAboutDeletion || scope.dense ? 8 : 3),
      adopt: isPlain && draw.once(4),
      waitForReady: isPlain && draw.once(4),
      createSeconds: draw.one(600, 600, 600, 30, 10, 8),
      deleteSeconds: draw.one(300, 300, 300, 30, 8),
      pollSeconds: draw.one(5, 5, 60),
      isDeletionShown: draw.once(2),
      isOpenTofu: draw.once(3),
      ...(scope.forecasts && { hasForecasts: true }),
    };
    this.#steps = scope.dense ? draw.number(8, 24) : draw.number(2, 8);
    this.#hasDetours = !scope.dense && !this.#isPure && draw.once(1.4);
    this.#hasWorkspaces = this.#hasDetours && isPlain && draw.once(4);
    // A look after a failed request decides most.
    const both = draw.once(3) ? (["faults", "view"] as const) : [];
    this.#focus = new Set([...both, ...Array.from({ length: draw.one(1, 2, 2, 3) }, () => draw.one(...RARE))]);
    this.#view = this.#anyView();
    this.#habits = this.#anyHabits();
  }

  /** @param wasOk whether the step before succeeded */
  next(wasOk: boolean): Step | undefined {
    if (this.#steps-- === 0) return undefined;
    const draw = this.#draw;
    // Most people apply the same code again after a failure, and not after a success.
    this.#isDestroyed &&= wasOk;
    const before = this.#isDestroyed ? {} : this.#clusters;
    this.#isRecovering = this.scope.dense === true && !wasOk && draw.once(2);
    if (this.#isRecovering) this.#clusters = Object.assign({}, ...this.#earlier) as Program["clusters"];
    else if (!this.#hasBegun || draw.once(wasOk ? 1.2 : 2.5)) {
      // The change before is undone, or the code comes from an old branch.
      const isEarlier = this.#earlier.length > 1 && draw.once(3);
      const isUndone = isEarlier && draw.once(2);
      this.#clusters = isUndone ? this.#earlier.at(-2)! : isEarlier ? draw.one(...this.#earlier) : this.#changed();
      this.#earlier.push(this.#clusters);
    }
    const often = this.scope.dense ? 40 : this.#isAboutRegistrations ? 3 : 15;
    if (this.#scene === "plain" && draw.once(often)) this.#provider = this.#provider === 0 ? 1 : 0;
    this.#isTroubled = !wasOk;
    this.#writes = this.#writesAfter(before);
    this.#leaving = NAMES.filter((name) => before[name] !== undefined && this.#clusters[name] === undefined);
    const isCalm = !this.scope.dense && !this.#hasBegun && !this.#isAboutRegistrations && draw.once(1.5);
    this.#hasBegun = true;
    return this.#inScene(isCalm ? { program: this.#program() } : this.#step());
  }

  /** @param before the clusters that the program before declared */
  #writesAfter(before: Program["clusters"]): readonly (typeof WRITES)[number][] {
    if (this.#scene !== "plain") return WRITES;
    const after = this.#clusters;
    const changed = NAMES.filter((name) => before[name] !== after[name]);
    // What the failed run has not sent is still due.
    const isDue = (method: (typeof WRITES)[number]) => this.#isTroubled && this.#writes.includes(method);
    const isCreated = !this.#hasBegun || this.#isDestroyed || changed.some((name) => after[name] !== undefined);
    const isDeleted = changed.some((name) => before[name] !== undefined);
    return WRITES.filter((method) => (method === "POST" ? isCreated : isDeleted) || isDue(method));
  }

  get #isAboutDeletion(): boolean {
    return this.#fault.method === "DELETE" || this.#moment.before.endsWith("DELETE");
  }

  /** Whether most of what goes wrong goes wrong with the provider, which few runs create or delete. */
  get #isAboutRegistrations(): boolean {
    return this.#fault.of === "providers" && this.#fault.method !== "GET";
  }

  #inScene(step: Step): Step {
    if (this.#scene === "services") return this.#atService(step);
    return this.#scene === "platforms" ? this.#onPlatforms(step) : step;
  }

  /** A second Platform comes, gets other clusters and leaves, and a Platform gets another name. */
  #onPlatforms(step: Step): Step {
    const draw = this.#draw;
    const { carrier, beside, platform } = this.#more;
    const before = this.#beside;
    if (carrier) this.#more = { ...this.#more, carrier: draw.one(carrier, "nothing", undefined) };
    else if (draw.once(8)) this.#more = { carrier: "nothing", platform };
    else if (beside ? draw.once(8) : draw.once(3)) {
      this.#more = { platform, ...(!beside && { beside: { clusters: {}, url: URLS[1] } }) };
      this.#beside = [];
    } else if (draw.once(6)) this.#more = { platform: platform ? undefined : LAB };
    else if (beside && draw.once(2))
      this.#beside = (["c1", "c2"] as const).filter((name) => before.includes(name) !== draw.once(2));
    const isRenamed = this.#more.platform !== platform;
    const changed = (["c1", "c2"] as const).filter((name) => before.includes(name) !== this.#beside.includes(name));
    const all = Object.entries(step.program.clusters);
    const on = (isBeside: boolean) =>
      Object.fromEntries(all.filter(([name]) => this.#beside.includes(name as Name) === isBeside));
    const program: Program = {
      ...step.program,
      ...this.#more,
      ...(this.#more.beside && { clusters: on(false), beside: { ...this.#more.beside, clusters: on(true) } }),
      ...((isRenamed || changed.length > 0) &&
        draw.once(1.5) && { retain: isRenamed ? [PROVIDER, ...Object.keys(step.program.clusters)] : changed }),
    };
    return { ...step, program: withoutUndefined(program) };
  }

  /** A person takes the wrong service, or the service gets a new URL. Somebody else has objects of the same names on the wrong one. */
  #atService(step: Step): Step {
    const draw = this.#draw;
    if (draw.once(6)) this.#url = this.#url && draw.once(3) ? undefined : URLS[2];
    const url = draw.maybe(4, () => URLS[1]) ?? this.#url;
    // With the provider, a new URL comes alone.
    const isAlone = draw.once(2);
    const program = (isAlone && url !== this.#lastUrl && this.#lastProgram) || step.program;
    [this.#lastProgram, this.#lastUrl] = [program, url];
    return withoutUndefined({
      ...step,
      ...(this.#isUrlInCode ? { program: withoutUndefined({ ...program, url }) } : { program, url }),
      other: step.other ?? draw.maybe(3, () => ({ ...this.#other(), url: URLS[1] })),
    });
  }

  #changed(): Program["clusters"] {
    const after: Partial<Record<Name, Variant>> = {};
    for (const name of NAMES) {
      const variants = this.#scene === "plain" ? VARIANTS[name] : VARIANTS[name].slice(0, name === "c1" ? 2 : 1);
      const isKept = name === this.#name ? this.#draw.once(this.#isAboutDeletion ? 4 : 3) : !this.#draw.once(3);
      const before = this.#clusters[name];
      const variant = isKept ? before : this.#draw.one(...[undefined, ...variants].filter((each) => each !== before));
      if (variant !== undefined) after[name] = variant;
    }
    return after;
  }

  #program(): Program {
    const draw = this.#draw;
    const { engine, isProtected, adopt, waitForReady, createSeconds, deleteSeconds, pollSeconds } = this.setup;
    return withoutUndefined({
      engine,
      clusters: this.#clusters,
      provider: this.#provider,
      adopt,
      isProtected,
      waitForReady,
      createSeconds,
      deleteSeconds,
      pollSeconds,
      allowDeletion: isProtected ? draw.one<readonly string[]>([], [...NAMES], [this.#anyName()], ["c9"]) : undefined,
      retain: this.#maybe("retain", this.#leaving.length > 0 ? 6 : 10, () => [
        draw.one<string>(...this.#leaving, ...this.#leaving, this.#anyName(), "c9", clusterId(this.#anyName())),
      ]),
    });
  }

  /** One part of a step, once in `of` times, or nearly always if the sequence is about it. */
  #maybe<T>(key: Rare, of: number, make: () => T): T | undefined {
    return this.#draw.maybe(this.#focus.has(key) ? Math.min(of, 1.5) : this.#isPure ? 5 * of : of, make);
  }

  #anyName(): Name {
    return this.#isAgain() ? this.#name : this.#draw.one(...NAMES);
  }

  #step(): Step {
    const draw = this.#draw;
    const often = this.scope.dense || this.#isAboutRegistrations ? 2.5 : this.#isAboutDeletion ? 5 : 8;
    const destroy = this.#isRecovering ? undefined : draw.maybe(this.#isDestroyed ? 20 : often, () => "destroy" as const);
    const replace = this.#maybe("replace", 8, () => [this.#anyName()]);
    const detour = this.#hasDetours ? this.#detour() : {};
    const operation = detour.operation ?? destroy;
    this.#isDestroyed = operation === "destroy";
    if (operation === "destroy") this.#writes = ["DELETE"];
    else if (operation === "plan" || operation === "plan a destroy") this.#writes = [];
    else if (operation === "apply the plan" || replace) this.#writes = WRITES;
    const disturbance = this.scope.dense ? this.#disturbance() : {};
    const recovery = this.#isRecovering ? this.#recovery() : {};
    return withoutUndefined({
      program: this.#program(),
      replace,
      computer: this.#maybe("computer", 6, () => draw.one("B" as const, "new" as const)),
      wait: draw.maybe(3, () => draw.one(1, 5, 60, 300, 3_600, 8 * 86_400)),
      faults: this.#maybe("faults", 2.5, () =>
        draw.once(5) ? [this.#nextFault(), this.#anyFault("GET", ...this.#writes)] : [this.#nextFault()],
      ),
      view: this.#maybe("view", this.#isTroubled ? 1.5 : 3, () => this.#nextView()),
      habits: this.#maybe("habits", 10, () => (draw.once(1.5) ? this.#habits : this.#anyHabits())),
      stop: this.#maybe("stop", this.#writes.length > 0 ? 1.7 : 10, () => ({ at: this.#nextMoment(), how: draw.one(...STOPS) })),
      adopt: this.#maybe("adopt", 6, () =>
        draw.once(2) ? NAMES.map(clusterId) : [draw.one(clusterId(this.#anyName()), clusterId(this.#anyName()), ...WRONG_IDS)],
      ),
      other: this.scope.others ? this.#maybe("other", 3, () => this.#other()) : undefined,
      beside: this.scope.atOnce ? draw.maybe(2, () => this.#atOnce()) : undefined,
      state: this.#maybe("state", this.#isTroubled ? 6 : 20, () => this.#state()),
      ...disturbance,
      ...detour,
      operation,
      ...recovery,
    });
  }

  /** One fault of each kind of request, because only the run shows which of them it sends. */
  #disturbance(): Pick<Step, "stop" | "faults"> {
    const draw = this.#draw;
    const { weightOf } = this.scope;
    // Few runs with a stop come as far as the deletion of the provider.
    const isOfFaults = weightOf !== undefined && draw.once(2);
    this.#mayBeStopped = !isOfFaults && !draw.once(6);
    const methods = weightOf ? (["GET", ...WRITES] as const) : WRITES;
    const planned = () =>
      methods.flatMap((method) =>
        KINDS.flatMap((of) => this.#lackingFault(method, of).map((fault) => ({ ...fault, of, times: draw.one(1, 1, 2, 20) }))),
      );
    return { stop: undefined, faults: isOfFaults ? planned() : draw.maybe(3, planned) };
  }

  /** @returns one fault, or none if earlier runs have had all of them often enough */
  #lackingFault(method: PlannedFault["method"], of: Kind): readonly PlannedFault[] {
    const { weightOf } = this.scope;
    if (!weightOf) return [this.#anyFault(method)];
    const request = method === "GET" ? `GET ${of}` : `${method} ${singular(of)}`;
    const lacking = ({ fault }: PlannedFault) => weightOf(fault.kind, request);
    const faults = Array.from({ length: 8 }, () => this.#anyFault(method));
    return faults.some((fault) => lacking(fault) > 0) ? [this.#draw.weighted(faults, lacking)] : [];
  }

  /** What resolves most refusals at once. Otherwise, the runs that follow a failure would send nothing. */
  #recovery(): Partial<Step> {
    return {
      adopt: [...NAMES.map(clusterId), PROVIDER_ID],
      acceptGone: this.#draw.maybe(2, () => this.#draw.one(...NAMES.map(clusterId), PROVIDER_ID)),
      state: { act: "untaint", name: PROVIDER },
      operation: undefined,
    };
  }

  /** How a run of a dense sequence is stopped before an effect, so that each stop hits each kind of effect as often as the others. */
  stopBefore(effect: Effect, nth: number): Stop | undefined {
    const chance = CHANCES[effect];
    if (!this.scope.dense || !this.#mayBeStopped || !chance) return undefined;
    const { weightOf = () => 0 } = this.scope;
    return this.#draw.maybe(nth ** 2 / chance, () => this.#draw.weighted(STOPS, (stop) => weightOf(stop, effect)));
  }

  #detour(): Partial<Step> {
    const draw = this.#draw;
    return withoutUndefined({
      operation: this.#operation(),
      import: draw.maybe(15, () => this.#import()),
      workspace: this.#hasWorkspaces ? draw.maybe(2, () => "other" as const) : undefined,
      withoutRefresh: draw.maybe(6, () => true as const),
      target: draw.maybe(12, () => [this.#anyName()]),
      lacks: draw.maybe(20, () =>
        draw.one<NonNullable<Step["lacks"]>>("CLUSTER_PLATFORM_TOKEN", "VSPHERE_USERNAME", "VSPHERE_PASSWORD"),
      ),
      isTokenWrong: draw.maybe(20, () => true),
      folder: draw.maybe(12, () => ({
        is: draw.one("full" as const, "read-only" as const),
        at: draw.maybe(2, () => this.#nextMoment()),
      })),
      acceptGone: draw.maybe(10, () => draw.one(clusterId(this.#anyName()), clusterId(this.#anyName()), ...WRONG_IDS)),
    });
  }

  #operation(): Step["operation"] {
    const draw = this.#draw;
    if (this.#isPlanned && draw.once(2)) {
      this.#isPlanned = false;
      return "apply the plan";
    }
    const operation = draw.maybe(4, () => draw.one<Step["operation"]>("destroy", "destroy", "plan", "plan", "plan a destroy"));
    this.#isPlanned ||= operation !== undefined && operation !== "destroy";
    return operation;
  }

  /** Of an object that lives or does not, of this stack or not. */
  #import(): NonNullable<Step["import"]> {
    const name = this.#draw.one<ObjectName>(this.#anyName(), this.#anyName(), PROVIDER);
    const id = name === PROVIDER ? PROVIDER_ID : clusterId(name);
    return { name, id: this.#draw.one(name, id) };
  }

  #atOnce(): NonNullable<Step["beside"]> {
    const draw = this.#draw;
    const program = this.#program();
    return withoutUndefined({
      program: draw.once(2) ? program : { ...program, clusters: this.#changed() },
      operation: draw.maybe(6, () => "destroy" as const),
      computer: draw.one("A" as const, "B" as const, "new" as const),
      seconds: draw.one(0, 0.2, 0.5, 1, 5),
    });
  }

  #state(): NonNullable<Step["state"]> {
    const draw = this.#draw;
    // Terraform shall give up what it cannot delete.
    if (this.#isTroubled && this.#isAboutDeletion && draw.once(2)) return { act: "taint", name: this.#name };
    if (draw.once(3)) return { act: "mv", name: this.#anyName(), to: draw.one(...NAMES) };
    const name = draw.once(2) ? this.#anyName() : draw.one<ObjectName | SupportResource>(PROVIDER, ...SUPPORT_RESOURCES);
    return { act: draw.one("rm" as const, "taint" as const, "untaint" as const), name };
  }

  /** Whether what the sequence has drawn for itself comes again. */
  #isAgain(): boolean {
    return this.#draw.once(this.#isPure ? 1.1 : 1.7);
  }

  #nextMoment(): Moment {
    const { before } = this.#moment;
    const isLost = WRITES.some((each) => before.endsWith(each) && !this.#writes.includes(each));
    return !isLost && this.#isAgain() ? this.#moment : this.#anyMoment(...this.#writes);
  }

  /** Terraform runs no hook and writes no state if nothing changes. */
  #anyMoment(...writes: readonly (typeof WRITES)[number][]): Moment {
    const draw = this.#draw;
    const others = writes.length > 0 ? OTHER_EFFECTS : [];
    const ofWrites = writes.flatMap(effectsOf);
    // Most runs send a GET, and few send a DELETE.
    const rare = [...ofWrites, ...ofWrites, ...ofWrites, ...(writes.includes("DELETE") ? RARE_EFFECTS : [])];
    const before = draw.one(...effectsOf("GET"), ...others, ...others, ...rare);
    return { before, nth: draw.one(1, 1, 1, 1, 1, 1, 2, 3) };
  }

  #nextFault(): PlannedFault {
    const { method } = this.#fault;
    const isLost = method !== "GET" && !this.#writes.includes(method);
    return !isLost && this.#isAgain() ? this.#fault : this.#anyFault("GET", ...this.#writes);
  }

  #anyFault(...methods: readonly PlannedFault["method"][]): PlannedFault {
    const draw = this.#draw;
    const method = draw.one(...methods);
    const ofOneMethod: Record<typeof method, Fault> = {
      POST: { kind: "repeat", encoding: draw.one("json" as const, "base64" as const, "hex" as const) },
      GET: { kind: "partial" },
      // Nothing shows whether the service has had the object.
      DELETE: { kind: "refuse", status: 404 },
    };
    const fault = draw.one<Fault>(
      ofOneMethod[method],
      {
        kind: "refuse",
        status: method === "DELETE" ? draw.one(403, 404, 409, 503) : draw.one(400, 403, 404, 409, 429, 500, 503),
      },
      { kind: "lose" },
      { kind: "drop" },
      { kind: "hang" },
      { kind: "garbage", status: draw.one(200, 404, 502), carriedOut: draw.once(2) },
      // A DELETE that comes late may hit the next object with the name, and nothing can be done about that.
      { kind: "late", seconds: method === "DELETE" ? 1 : draw.one(1, 5, 9, 30, 100) },
    );
    const of: Partial<Record<typeof method, PlannedFault["of"]>> = {
      POST: draw.one("clusters", "providers"),
      DELETE: draw.one("clusters", "providers"),
    };
    const skip = of[method] === "providers" ? 0 : draw.one(0, 0, 0, 1);
    return withoutUndefined({ method, of: of[method], skip, times: draw.one(1, 1, 2, 3, 20), fault });
  }

  #nextView(): NonNullable<Step["view"]> {
    const draw = this.#draw;
    const view = this.#isAgain() ? this.#view : this.#anyView();
    const at = this.#isTroubled ? undefined : draw.maybe(2, () => this.#nextMoment());
    return withoutUndefined({ view, seconds: view.kind === "hide" ? this.#wrongSeconds() : draw.one(9, 30, 120), at });
  }

  #anyView(): View {
    const draw = this.#draw;
    const seconds = this.#wrongSeconds();
    const hide: View = { kind: "hide", name: draw.one<string>("*", this.#anyName(), this.#anyName(), PROVIDER) };
    // What lists lack makes a lost answer mean something else.
    const hides = this.#fault.method === "GET" ? [hide, hide] : [hide, hide, hide, hide];
    return draw.one<View>({ kind: "lag", seconds }, { kind: "stale", seconds }, { kind: "replicas", seconds }, ...hides, {
      kind: "empty",
      fields: draw.one<(View & { kind: "empty" })["fields"]>(
        ["providerConfigID"],
        ["phase", "apiEndpoint", "workersGroups"],
        ["ingress"],
      ),
    });
  }

  /** The package promises to tolerate lists that are wrong for less than ten seconds. */
  #wrongSeconds(): number {
    return this.#draw.one(2, 5, 9);
  }

  #anyHabits(): Partial<Habits> {
    const draw = this.#draw;
    return draw.one<Partial<Habits>>(
      { provisionSeconds: draw.one(20, 300) },
      // Otherwise nobody waits for it.
      ...(this.setup.waitForReady ? [{ provisionSeconds: 20 }, { provisionSeconds: 300 }] : []),
      { deleteSeconds: draw.one(3, 40, 400) },
      { providerReadySeconds: 20 },
      { listSeconds: draw.one(2, 6, 15) },
      { phases: { [this.#anyName()]: draw.one("Failed", "Pending", "Deleting") } },
    );
  }

  #other(): NonNullable<Step["other"]> {
    const draw = this.#draw;
    const act = draw.one(...ACTS);
    const at = draw.maybe(2, () => this.#nextMoment());
    const declared = draw.one(this.#clusters, ...this.#earlier)[this.#name];
    // Somebody else has the same code.
    if (declared !== undefined && draw.once(2)) return withoutUndefined({ at, act, name: this.#name, variant: declared });
    const on = draw.maybe(3, () => "elsewhere");
    const name = draw.one<ObjectName>(this.#anyName(), this.#anyName(), PROVIDER);
    return withoutUndefined({ at, act, name, variant: draw.one<Variant>(0, 1, 2), on });
  }
}

/** What a sequence can be about. */
const RARE = ["replace", "computer", "faults", "view", "habits", "stop", "stop", "adopt", "other", "state", "retain"] as const;
type Rare = (typeof RARE)[number];

const PROVIDER_ID = `capvs/providers/${PROVIDER}`;

/** Of no object, and not an id. */
const WRONG_IDS = [clusterId("c9"), "c1"];

/** Clusters differ in how many declarations they have, because each program is synthesized once. */
const VARIANTS: Readonly<Record<Name, readonly Variant[]>> = { c1: [0, 1, 2], c2: [0, 1], c3: [0] };

/** How likely a stop is before the first effect of a kind. Each kind that comes late or seldom has a higher chance. */
const CHANCES: Readonly<Partial<Record<Effect, number>>> = {
  starts: 0.03,
  ends: 0.08,
  "sends GET": 0.03,
  "sends POST": 0.13,
  "sends DELETE": 0.22,
  "arrives GET": 0.03,
  "arrives POST": 0.15,
  "arrives DELETE": 0.32,
  "carried out POST": 0.2,
  "carried out DELETE": 0.45,
  "answered GET": 0.03,
  "answered POST": 0.25,
  "answered DELETE": 0.65,
  "writes a note": 0.06,
  "removes a note": 0.15,
  "writes the state": 0.1,
};

const WRITES = ["POST", "DELETE"] as const;
const KINDS = ["clusters", "providers"] as const;

function effectsOf(method: PlannedFault["method"]): readonly Effect[] {
  return EFFECTS.filter((effect) => effect.endsWith(method));
}

const RARE_EFFECTS: readonly Effect[] = [...effectsOf("DELETE"), "removes a note"];
const OTHER_EFFECTS = EFFECTS.filter((effect) => !/GET|POST|DELETE/.test(effect));

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}
