import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answer, closeAll, serve, type Received } from "../api/service";
import { PAUSES_SKIPPED } from "../support/pauses";
import { environment, type HookRun, runHook, settings } from "../bad-input/hook";

/** A cluster as the service lists it, which looks as the hooks' environment declares it. */
export const prod = {
  clusterName: "prod",
  providerType: "capvs",
  providerConfigID: "vsphere",
  phase: "Provisioned",
  conditions: [] as { type: string; status: string; lastTransitionTime: string }[],
};

/** A service that answers as a test says, and the folder in which Terraform would run the hooks. */
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
  /** What the lists have. */
  clusters: object[] = [];
  providers: object[] = [{ providerType: "capvs", configs: [{ name: "vsphere" }] }];
  /** Answers to what is to change something, in turn, the last one for good. */
  writes: Answer[] = [];
  /** How long a create, a wait or a delete may take; ample, where time is not to run out. */
  seconds = 60;
  /** Whether pauses between two looks take their time. */
  pausesAreReal = false;
  /** The hook that runs, or ran last. */
  pid = 0;
  /** Another answer to a look; undefined for the lists. */
  look: (request: Received) => Answer | void = () => undefined;

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    await closeAll();
  }

  /** Runs a hook about the cluster `prod`. */
  run(command: string, env: NodeJS.ProcessEnv = {}): Promise<HookRun> {
    const { seconds } = this;
    const times = { createSeconds: seconds, readySeconds: seconds, deleteSeconds: seconds };
    const given = { CLUSTER_PLATFORM_HOOK_SETTINGS: settings(this.url, times), ...env };
    const pauses = this.pausesAreReal ? {} : PAUSES_SKIPPED;
    return runHook(command, { ...environment(this.url), ...pauses, ...given }, this.folder, (pid) => (this.pid = pid));
  }

  /** The requests that were to change something. */
  get written(): string[] {
    return this.requests.filter((request) => !request.startsWith("GET"));
  }

  /** How many creations are noted as under way. */
  get notes(): number {
    const folder = join(this.folder, ".cluster-platform/intents");
    return existsSync(folder) ? readdirSync(folder).length : 0;
  }

  private answer(request: Received): Answer {
    if (request.method !== "GET") return (this.writes.length > 1 ? this.writes.shift() : this.writes[0]) ?? { status: 500 };
    const other = this.look(request);
    if (other) return other;
    return { body: request.path.endsWith("/providers") ? this.providers : { items: this.clusters, count: this.clusters.length } };
  }
}
