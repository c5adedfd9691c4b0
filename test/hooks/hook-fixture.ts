import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECORDS } from "../../src/lifecycle/journal";
import type { Facts, SentCreate } from "../../src/lifecycle/object-record";
import { type Answer, closeAll, serve, type Received } from "../api/service";
import { systemClock } from "../../src/util/clock";
import { skippingClock } from "../support/skipping-clock";
import { environment, type HookRun, packed, runHook, settings } from "../bad-input/hook";

/** A listed cluster that matches the declaration in the hooks' environment. */
export const prod = {
  clusterName: "prod",
  providerType: "capvs",
  providerConfigID: "vsphere",
  phase: "Provisioned",
  conditions: [] as { type: string; status: string; lastTransitionTime: string }[],
};

/** A service with scripted answers, and the folder where Terraform would run the hooks. */
export class HookFixture {
  static async open(): Promise<HookFixture> {
    const fixture = new HookFixture();
    const answer: Answer = (response, request) => {
      fixture.requests.push(`${request.method} ${request.path}`);
      const given = fixture.answer(request);
      if (typeof given === "function") return given(response, request);
      const { status = 200, headers = {}, body = "" } = given;
      response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
    };
    fixture.url = (await serve(answer)).url;
    return fixture;
  }

  readonly folder = mkdtempSync(join(tmpdir(), "hooks-"));
  readonly requests: string[] = [];
  url = "";
  clusters: object[] = [];
  providers: object[] = [{ providerType: "capvs", configs: [{ name: "vsphere" }] }];
  /** Answers to writes, in turn. The last one repeats. */
  writes: Answer[] = [];
  /** The limit of a create, wait or delete. Long enough not to expire. */
  seconds = 60;
  /** Whether the hook really waits between polls. */
  pausesAreReal = false;
  /** Answers a read. The lists answer if it returns undefined. */
  look: (request: Received) => Answer | void = () => undefined;

  /** What the folder has of the synthesized stack: the construct that declares {@link prod}. */
  writeStack(entry = JSON.stringify({ path: "stack/prod", triggers: {} })): void {
    writeFileSync(join(this.folder, "cdk.tf.json"), JSON.stringify({ locals: { capvs_clusters: { prod: entry } } }));
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    await closeAll();
  }

  run(command: string, env: NodeJS.ProcessEnv = {}): Promise<HookRun> {
    const { seconds } = this;
    if (command === "create") this.endRun();
    const times = { createSeconds: seconds, readySeconds: seconds, deleteSeconds: seconds };
    const given = { ...environment(this.url), CLUSTER_PLATFORM_HOOK_SETTINGS: settings(this.url, times), ...env };
    return runHook(command, given, { folder: this.folder, clock: this.pausesAreReal ? systemClock : skippingClock() });
  }

  /** All hooks of a test look like those of one run of Terraform. */
  private endRun(): void {
    this.changeCreates((create) => ({ ...create, run: "an earlier one" }));
  }

  /** As if all creates had begun so many seconds earlier. */
  ageNotes(seconds: number): void {
    const earlier = (time: string) => new Date(Date.parse(time) - seconds * 1000).toISOString();
    this.changeCreates(({ sentAt, overAt, ...rest }) => ({ ...rest, sentAt: earlier(sentAt), overAt: earlier(overAt) }));
  }

  private changeCreates(change: (create: SentCreate) => SentCreate): void {
    this.changeNotes((facts) => ({ ...facts, creates: facts.creates.map(change) }));
  }

  changeNotes(change: (facts: Facts) => Facts): void {
    for (const file of this.files) writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")) as Facts)));
  }

  /** The files of the notes. */
  get files(): string[] {
    const folder = join(this.folder, ".cluster-platform", RECORDS);
    return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
  }

  /** The hook that Terraform runs when its state has {@link prod}. */
  async waiter(): Promise<void> {
    const blocks = [{ type: "capvs", kind: "clusters", address: "null_resource.capvs_clusters", ready: [], present: ["prod"] }];
    const env = { CLUSTER_PLATFORM_HOOK_EXPECTED_0: packed(blocks) };
    expect(await this.run("wait", env)).toMatchObject({ status: 0 });
  }

  get written(): string[] {
    return this.requests.filter((request) => !request.startsWith("GET"));
  }

  /** How many creates are noted whose objects no state has had since. */
  get notes(): number {
    const all = this.files.map((file) => JSON.parse(readFileSync(file, "utf8")) as Facts);
    return all.flatMap(({ creates }) => creates.filter(({ isSettled }) => !isSettled)).length;
  }

  private answer(request: Received): Answer {
    if (request.method !== "GET") return (this.writes.length > 1 ? this.writes.shift() : this.writes[0]) ?? { status: 500 };
    const other = this.look(request);
    if (other) return other;
    return { body: request.path.endsWith("/providers") ? this.providers : { items: this.clusters, count: this.clusters.length } };
  }
}
