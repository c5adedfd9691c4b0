import { credentials } from "../../api/credentials";
import { openClient } from "../../api/open-client";
import { CLOCK_SKEW_MS } from "../../lifecycle/windows";
import { Redactor } from "../../model/redaction";
import { connection, type Connection, type ConnectionLiterals } from "../../api/connection";
import { failed } from "./failed";
import { doubtful, type Finding, good } from "./finding";

const SERVICE_LIMIT_MS = 20_000;

/** Whether every service can be reached and read, and tells the right time. Without a token none is asked. */
export async function* services(all: readonly ConnectionLiterals[], env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
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
    for (const warning of target.warnings) yield doubtful("service", `${warning}. Only a test may be set up so`);
    if (!tokenless) yield* service(target.url, literals, env);
  }
}

function withoutToken(env: NodeJS.ProcessEnv): Finding | undefined {
  try {
    credentials(env);
    return undefined;
  } catch (error) {
    return failed("token", error);
  }
}

async function* service(url: string, literals: ConnectionLiterals, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const client = openClient(literals, env, new Redactor());
  const limit = () => ({ deadline: Date.now() + SERVICE_LIMIT_MS });
  try {
    const asked = Date.now();
    const providers = (await client.listProviders(limit())).all();
    yield good("service", `${url} answers, and takes the token (${Date.now() - asked} ms)`);
    const before = Date.now();
    const clock = await client.clock(limit());
    yield skew(clock, (before + Date.now()) / 2);
    const clusters = (await client.listClusters(limit())).names();
    yield good("lists", `${providers.length} providers and ${clusters.length} clusters can be read`);
  } catch (error) {
    yield failed("service", error);
  } finally {
    await client.close();
  }
}

function skew(clock: Date | undefined, now: number): Finding {
  if (!clock) return doubtful("clock", "the service does not tell its time: see that both clocks are synchronized");
  const seconds = Math.round((clock.getTime() - now) / 1000);
  // A Date header is cut to whole seconds.
  if (Math.abs(seconds) <= 2) return good("clock", "agrees with the service's");
  const message = `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead of"} the service's`;
  return Math.abs(seconds) * 1000 <= CLOCK_SKEW_MS ? good("clock", message) : doubtful("clock", `${message}: synchronize it`);
}
