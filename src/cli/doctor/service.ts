import { credentials } from "../../api/credentials";
import { notesOnLists } from "../../api/lists";
import { openClient } from "../../api/open-client";
import { CLOCK_SKEW_MS } from "../../lifecycle/times";
import { Redactor } from "../../model/redaction";
import { connection, type Connection, type ConnectionLiterals } from "../../api/connection";
import { counted } from "../report/phrase";
import { failed } from "./failed";
import type { LiveLists } from "../drift/find-drift";
import { doubtful, type CheckResult, good } from "./check-result";
import type { StackPlatform } from "./stack";

export interface LiveService extends LiveLists {
  readonly url: string;
}

/** Services that can be read, by the JSON of their connection settings. */
export type LiveServices = ReadonlyMap<string, LiveService>;

export function serviceOf({ settings: { connection } }: StackPlatform, services: LiveServices): LiveService | undefined {
  return services.get(JSON.stringify(connection));
}

/** Without a token no request is sent. */
export async function* services(
  all: readonly ConnectionLiterals[],
  env: NodeJS.ProcessEnv,
): AsyncGenerator<CheckResult, LiveServices> {
  const read = new Map<string, LiveService>();
  const tokenless = withoutToken(env);
  if (tokenless) yield tokenless;
  for (const literals of all) {
    let target: Connection;
    try {
      target = connection(literals, env);
    } catch (error) {
      yield failed("service", error);
      continue;
    }
    for (const warning of target.warnings) yield doubtful("service", `${warning}. Use this for tests only`);
    if (tokenless) continue;
    const live = yield* service(target.url, literals, env);
    if (live) read.set(JSON.stringify(literals), live);
  }
  return read;
}

function withoutToken(env: NodeJS.ProcessEnv): CheckResult | undefined {
  try {
    credentials(env);
    return undefined;
  } catch (error) {
    return failed("token", error);
  }
}

async function* service(
  url: string,
  literals: ConnectionLiterals,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<CheckResult, LiveService | undefined> {
  const client = openClient(literals, env, new Redactor());
  const limit = { limitMs: client.requestSeconds * 1000 };
  try {
    const asked = Date.now();
    const providers = await client.listProviders(limit);
    yield good("service", `${url} answers and accepts the token (${Date.now() - asked} ms)`);
    const before = Date.now();
    const clock = await client.clock(limit);
    yield skew(clock, (before + Date.now()) / 2);
    const clusters = await client.listClusters(limit);
    yield good(
      "lists",
      `${counted(providers.all().length, "provider")} and ${counted(clusters.all().length, "cluster")} can be read`,
    );
    for (const note of notesOnLists(providers, clusters)) yield doubtful("lists", note);
    return { url, clusters, providers };
  } catch (error) {
    yield failed("service", error);
    return undefined;
  } finally {
    await client.close();
  }
}

function skew(clock: Date | undefined, now: number): CheckResult {
  if (!clock) return doubtful("clock", "the service does not send its time: make sure that both clocks are synchronized");
  const seconds = Math.round((clock.getTime() - now) / 1000);
  // A Date header has whole seconds.
  if (Math.abs(seconds) <= 2) return good("clock", "agrees with the service's clock");
  const message = `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead of"} the service's clock`;
  return Math.abs(seconds) * 1000 <= CLOCK_SKEW_MS ? good("clock", message) : doubtful("clock", `${message}: synchronize it`);
}
