import { isAmbiguous, type LiveCluster, type LiveProvider, type PlatformClient } from "../api/client";
import { ApiError, ClusterPlatformError } from "../model/errors";
import { blockOfKind, objectId } from "../contract/addresses";
import type { HookBlock, HookEntry } from "../contract/hook-protocol";
import { isPlainObject } from "../model/prop-path";
import type { JsonObject } from "../model/provider-type";
import type { Difference } from "../lifecycle/compare";
import { recreating } from "./advice";
import { changedFields, fingerprint } from "./fingerprint";
import { readAdoptions, readBlock, readEntry, readName, readWorkspace } from "./environment";
import { Journal, type Intent } from "./journal";
import { resolveEntry, type ResolvedEntry } from "./resolved-entry";
import { called, duration, enumerated, type Run } from "./run";

type Live = LiveCluster | LiveProvider;

/** Statuses by which the service says that it has not done anything, and that it may do so later. */
const MAY_PASS = new Set([409, 425, 429, 503]);
/** A request that is sent with less time left than this, in milliseconds, may be cut off, and its fate be unknown for nothing. */
const LEAST_ATTEMPT_MS = 1_000;
/** How often a request whose fate is unknown is repeated, each time after the name was seen to be free still. */
const REPEATS_AFTER_UNKNOWN = 2;
/** The look that decides about a request that failed may take so much longer than the create may, in milliseconds. */
const LAST_LOOK_MS = 5_000;
/** For how long after a registration that was not ready a refused cluster is taken for one that came too early. */
const SETTLING_MS = 2 * 60_000;
/** Clocks of service and machine may differ by this much. */
const CLOCK_SKEW_MS = 5 * 60_000;

/**
 * Makes the service have the object: creates it, takes it over where that was asked for, or recognizes it as one that
 * an interrupted apply created. Readiness is not part of it, so a slow cluster is never tainted.
 */
export async function create(run: Run): Promise<void> {
  const block = readBlock(run.env);
  const entry = readEntry(run.env);
  const name = readName(run.env);
  run.interruption.finishWithoutTerraform();
  await new Creation(run, block, entry, await resolveEntry(block, entry, run.env, run.redactor), name).carryOut();
}

class Creation {
  private readonly id: string;
  private readonly called: string;
  private readonly client: PlatformClient;
  private readonly journal: Journal;
  /** The provider's, or that of the cluster's provider. */
  private readonly registration: Journal;
  private readonly adoptions: ReadonlySet<string>;
  private readonly deadline: number;
  private readonly started = Date.now();

  constructor(
    private readonly run: Run,
    private readonly block: HookBlock,
    private readonly entry: HookEntry,
    private readonly resolved: ResolvedEntry,
    private readonly name: string,
  ) {
    this.id = objectId(block.type, block.kind, name);
    this.called = called(block, name);
    this.client = run.client();
    const workspace = readWorkspace(run.env);
    this.journal = new Journal(this.id, this.client.url, workspace);
    const provider = block.kind === "providers" ? name : resolved.declared.provider!;
    this.registration = new Journal(objectId(block.type, "providers", provider), this.client.url, workspace, "registrations");
    this.adoptions = readAdoptions(run.env);
    this.deadline = this.started + run.settings.createSeconds * 1000;
  }

  async carryOut(): Promise<void> {
    const live = await this.find();
    if (live) return this.takeOver(live);
    if (this.wantsAdoption()) this.run.say(`${this.called}: nothing to adopt, the name is free; creating it`);
    this.run.say(`${this.called}: creating; if interrupted, the service may go on, and the next apply goes on with it`);
    const reply = await this.send(this.journal.read());
    this.settled();
    this.noteUnready(reply);
    this.run.say(`${this.called}: created after ${duration(Date.now() - this.started)}`);
  }

  /** The name lives already: ours by adoption or from an interrupted apply, or somebody else's. */
  private async takeOver(live: Live): Promise<void> {
    if (this.wantsAdoption()) {
      const differences = await this.differences(live);
      if (differences.length > 0) throw this.mismatch(differences);
      this.settled();
      return this.run.say(`${this.called}: adopted, it lives on the service already and matches the declaration`);
    }
    const intent = this.journal.read();
    const doubts = intent && [...seenBefore(live, intent), ...(await this.doubts(live, intent))];
    if (doubts?.length !== 0) throw this.taken(live, intent, doubts);
    this.settled();
    this.noteUnready(undefined);
    // Secrets are noted nowhere, so nobody can say whether they are the same.
    const secrets = this.block.kind === "providers" ? ", with the credentials that were sent then" : "";
    this.run.say(`${this.called}: created by an earlier apply that was interrupted at ${intent!.at}; going on with it${secrets}`);
  }

  /** The object is this stack's. Only Terraform's own state says so from now on, unless it is too late to tell Terraform. */
  private settled(): void {
    if (this.run.interruption.reason === undefined) this.journal.clear();
  }

  /** What the reply to a registration says of it, or no reply; the lists say nothing. Failing to note it fails nothing. */
  private noteUnready(reply: unknown): void {
    if (this.block.kind !== "providers" || (isPlainObject(reply) && reply.ready !== false)) return;
    try {
      this.registration.write();
    } catch {
      // A cluster that is refused for it then says so at once.
    }
  }

  /** How long ago the cluster's provider was registered, in milliseconds, where it may not be ready yet. */
  private unreadySince(): number | undefined {
    const noted = this.block.kind === "clusters" ? this.registration.read() : undefined;
    const age = noted && Date.now() - Date.parse(noted.at);
    // A note from the future tells of a clock that was set, or of another machine.
    return age !== undefined && age >= 0 && age < SETTLING_MS ? age : undefined;
  }

  /** Which status a service answers then the interface does not show. */
  private mayPass(error: unknown): error is ApiError {
    if (!(error instanceof ApiError)) return false;
    const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 403;
    return MAY_PASS.has(error.status) || (isRefusal && this.unreadySince() !== undefined);
  }

  /** `unknown` notes the request whose fate is not known: it may yet be carried out. Resolves to the service's reply. */
  private async send(unknown: Intent | undefined): Promise<unknown> {
    let repeats = 0;
    for (;;) {
      const intent = unknown ?? this.journal.write(fingerprint(this.resolved.declared));
      this.run.interruption.leaving(
        `The service may still be creating ${this.called}. The next apply on this machine goes on with it; on another machine it says that the name is taken, and CLUSTER_PLATFORM_ADOPT=${this.id} takes it over`,
      );
      try {
        return await this.post(this.resolved.body);
      } catch (error) {
        if (this.run.interruption.signal.aborted && isAmbiguous(error)) throw this.run.interruption.error();
        if (isAmbiguous(error)) unknown = intent;
        // At once: whatever ends this hook from here on, what the next apply finds would not be of this request.
        else if (!unknown) this.journal.clear();
        const mayPass = this.mayPass(error);
        if (!isAmbiguous(error) && !mayPass) throw await this.explained(error);
        const live = await this.findAfter(error);
        if (live) {
          const doubts = unknown && (await this.doubts(live, unknown));
          if (doubts?.length === 0) {
            this.run.say(`${this.called}: the answer was lost (${(error as Error).message}), but the service has it`);
            return undefined;
          }
          this.journal.clear();
          throw this.taken(live, unknown, doubts);
        }
        if (!mayPass && ++repeats > REPEATS_AFTER_UNKNOWN) throw this.unknownOutcome(error);
        await this.waitBeforeRepeat(error, unknown !== undefined);
      }
    }
  }

  /** A cluster may be refused because its provider, which Terraform's state has, is not on the service. */
  private async explained(refusal: unknown): Promise<unknown> {
    const { type, kind, address } = this.block;
    const provider = this.resolved.declared.provider!;
    if (kind !== "clusters" || !(refusal instanceof ApiError)) return refusal;
    try {
      const options = { signal: this.run.interruption.signal, deadline: this.lastLook() };
      if ((await this.client.listProviders(options)).find(type, provider)) return refusal;
    } catch {
      return refusal;
    }
    return new ClusterPlatformError(
      "OBJECT_MISSING",
      `${refusal.message}; there is no ${called({ type, kind: "providers" }, provider)} on the service. If this stack declares it, somebody deleted it, or Terraform was killed while it created it. ` +
        `To create it anew: ${recreating(this.run.settings, [{ type, kind: "providers", address: blockOfKind(address, "providers"), name: provider }])}. Where another Platform of the stack registers it, the address begins with that one's name`,
      { cause: refusal },
    );
  }

  private post(body: JsonObject): Promise<unknown> {
    const options = { signal: this.run.interruption.graceSignal, deadline: this.deadline };
    return this.block.kind === "providers"
      ? this.client.createProvider(this.block.type, body, options)
      : this.client.createCluster(this.block.type, body, options);
  }

  /** Looks again after a failed request; what stopped the request may stop the look too. */
  private async findAfter(error: unknown): Promise<Live | undefined> {
    try {
      return await this.find(this.lastLook());
    } catch (lookup) {
      if (!isAmbiguous(error)) throw error;
      throw this.unknownOutcome(error, lookup);
    }
  }

  private lastLook(): number {
    return Math.max(this.deadline, Date.now() + LAST_LOOK_MS);
  }

  private async waitBeforeRepeat(error: unknown, unknown: boolean): Promise<void> {
    const wait = Math.max(this.run.settings.pollSeconds * 1000, (error instanceof ApiError && error.retryAfterMs) || 0);
    if (Date.now() + wait + LEAST_ATTEMPT_MS > this.deadline) {
      throw unknown ? this.unknownOutcome(error) : await this.explained(error);
    }
    if (!unknown)
      this.run.interruption.leaving(`The service refused to create ${this.called} so far. The next apply tries again`);
    const age = error instanceof ApiError ? this.unreadySince() : undefined;
    const early = age === undefined ? "" : `; its provider was registered ${duration(age)} ago and may not be ready yet`;
    this.run.say(
      `${this.called}: ${(error as Error).message}${early}; the name is still free, trying again in ${duration(wait)}`,
    );
    await this.run.interruption.pause(wait);
  }

  private async find(deadline = this.deadline): Promise<Live | undefined> {
    const options = { signal: this.run.interruption.signal, deadline };
    return this.block.kind === "providers"
      ? (await this.client.listProviders(options)).find(this.block.type, this.name)
      : (await this.client.listClusters(options)).find(this.name);
  }

  private async differences(live: Live): Promise<Difference[]> {
    const { declaredWithDefaults } = await import("../declarations/declared-with-defaults");
    const { differences } = await import("../lifecycle/compare");
    const { type, kind } = this.block;
    return differences(kind, type, declaredWithDefaults(type, kind, this.resolved.declared), live);
  }

  /** Why what lives may not be what the noted request made, which looks as declared and was declared as now. */
  private async doubts(live: Live, { declared }: Intent): Promise<string[]> {
    const changed = declared ? changedFields(declared, this.resolved.declared) : [];
    if (changed.length > 0) return [`since then ${enumerated(changed)} changed in the code`];
    return (await this.differences(live)).map(
      (difference) => `its ${difference.field} is ${difference.live}, declared is ${difference.declared}`,
    );
  }

  private wantsAdoption(): boolean {
    return this.entry.adopt === true || this.adoptions.has(this.id);
  }

  private mismatch(differences: Difference[]): ClusterPlatformError {
    const list = differences.map(({ field, declared, live }) => `  ${field}: declared ${declared}, live ${live}`).join("\n");
    return new ClusterPlatformError(
      "ADOPT_MISMATCH",
      `${this.called} lives on the service and differs from the declaration; nothing was touched:\n${list}\nDeclare what is live and apply again, or give the declaration another name`,
    );
  }

  private taken(live: Live, intent: Intent | undefined, doubts: readonly string[] = []): ClusterPlatformError {
    const what =
      "phase" in live
        ? `a ${live.type} cluster on provider ${live.provider || "(not said)"}, phase ${live.phase || "(none yet)"}`
        : `a ${live.type} provider`;
    const ours = intent
      ? ` This stack was creating it at ${intent.at} and got no answer, but ${doubts.join("; ")}. If what lives is what was sent then, declare that, apply, and change it afterwards.`
      : "";
    return new ClusterPlatformError(
      "NAME_TAKEN",
      `the name of ${this.called} is taken: ${what} lives there, and nothing shows that this stack created it. Nothing was touched.${ours} ` +
        `To take it over, declare it as it lives and apply once with CLUSTER_PLATFORM_ADOPT=${this.id}, or declare adopt: true. Otherwise choose another name, and list this one in the Platform's retain for that apply. ` +
        `Terraform marks the instance tainted and will not delete the object`,
    );
  }

  private unknownOutcome(error: unknown, lookup?: unknown): ClusterPlatformError {
    const look = lookup
      ? `, and whether the service has it cannot be seen either: ${(lookup as Error).message}`
      : ", and the service does not list it yet";
    return new ClusterPlatformError(
      "OUTCOME_UNKNOWN",
      `creating ${this.called} failed: ${(error as Error).message}${look}. The next apply on this machine looks it up and goes on; ` +
        `on another machine, should it say that the name is taken, CLUSTER_PLATFORM_ADOPT=${this.id} takes it over`,
      { cause: error },
    );
  }
}

/** What happened to an object before its creation was noted happened to another one. */
function seenBefore(live: Live, { at }: Intent): string[] {
  const conditions = "conditions" in live ? live.conditions : [];
  return conditions
    .filter(({ lastTransitionTime }) => Date.parse(lastTransitionTime) < Date.parse(at) - CLOCK_SKEW_MS)
    .slice(0, 1)
    .map(({ type, lastTransitionTime }) => `it was ${type} at ${lastTransitionTime} already, by the service's clock`);
}
