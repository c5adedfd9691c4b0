import { credentials } from "../../api/credentials";
import { notesOnLists } from "../../api/lists";
import { openClient } from "../../api/open-client";
import { CLOCK_SKEW_MS } from "../../lifecycle/times";
import { Redactor } from "../../util/redaction";
import { connection, type Connection, type ConnectionLiterals } from "../../api/connection";
import { counted } from "../report/phrase";
import { type CheckResult, doubtful, failed, good } from "./check-result";

/** Without a token no request is sent. */
export async function* services(all: readonly ConnectionLiterals[], env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
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
    if (!tokenless) yield* service(target.url, literals, env);
  }
}

function withoutToken(env: NodeJS.ProcessEnv): CheckResult | undefined {
  try {
    credentials(env);
    return undefined;
  } catch (error) {
    return failed("token", error);
  }
}

async function* service(url: string, literals: ConnectionLiterals, env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
  const client = openClient(literals, env, new Redactor());
  const limit = { limitMs: client.requestSeconds * 1000 };
  try {
    const asked = Date.now();
    const providers = await client.listProviders(limit);
    yield good("service", `${url} answers and accepts the token (${Date.now() - asked} ms)`);
    const before = Date.now();
    const clock = await client.clock(limit);
    if (clock) yield skew(clock, (before + Date.now()) / 2);
    const clusters = await client.listClusters(limit);
    yield good(
      "lists",
      `${counted(providers.all().length, "provider")} and ${counted(clusters.all().length, "cluster")} can be read`,
    );
    for (const note of notesOnLists(providers, clusters)) yield doubtful("lists", note);
  } catch (error) {
    yield failed("service", error);
  } finally {
    await client.close();
  }
}

function skew(clock: Date, now: number): CheckResult {
  const seconds = Math.round((clock.getTime() - now) / 1000);
  // A Date header has whole seconds.
  if (Math.abs(seconds) <= 2) return good("clock", "agrees with the service's clock");
  const message = `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead of"} the service's clock`;
  return Math.abs(seconds) * 1000 <= CLOCK_SKEW_MS ? good("clock", message) : doubtful("clock", `${message}: synchronize it`);
}
