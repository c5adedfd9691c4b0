import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ClusterPlatformError } from "../../api/errors";
import { openClient } from "../../api/open-client";
import { Redactor } from "../../api/redaction";
import { connection, type Connection, type ConnectionLiterals } from "../../api/settings";
import { readStack, type Stack } from "./stack";

/** What was looked at, what was found, and what to do about it. */
export interface Finding {
  readonly verdict: "good" | "doubtful" | "wrong";
  readonly subject: string;
  readonly message: string;
}

const good = (subject: string, message: string): Finding => ({ verdict: "good", subject, message });
const doubtful = (subject: string, message: string): Finding => ({ verdict: "doubtful", subject, message });
const wrong = (subject: string, message: string): Finding => ({ verdict: "wrong", subject, message });

/** Older ones lack terraform_data's behaviour that the stacks rely on. */
const OLDEST = { terraform: [1, 5], tofu: [1, 6] } as const;
const OLDEST_NODE = [20, 18] as const;
/** The journal of a create that was interrupted compares the two clocks up to here. */
const SKEW_LIMIT_SECONDS = 60;
const SERVICE_LIMIT_MS = 20_000;

/** Everything that an apply will need, in the order in which it needs it. */
export async function* examine(options: { stack?: string; terraform?: string }, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield* terraform(options.terraform);
  yield* nodeOnPath(env);
  let stack: Stack | undefined;
  if (options.stack !== undefined) {
    try {
      stack = readStack(options.stack);
    } catch (error) {
      yield wrong("stack", (error as Error).message);
    }
  }
  if (stack) yield* hookPrograms(stack);
  // Every Platform of the stack may have a service of its own; without a stack it is the environment's.
  const services = stack && stack.connections.length > 0 ? stack.connections : [{}];
  for (const literals of services) yield* service(literals, env);
  if (stack) yield* secrets(stack, env);
}

async function* terraform(chosen: string | undefined): AsyncGenerator<Finding> {
  const candidates = chosen === undefined ? ["terraform", "tofu"] : [chosen];
  for (const program of candidates) {
    const version = await versionOf(program);
    if (!version) continue;
    const { name, text, numbers } = version;
    const oldest = OLDEST[name];
    yield atLeast(numbers, oldest)
      ? good(program, `${text}`)
      : wrong(program, `${text}, but ${oldest.join(".")} is the oldest that works: install a newer one`);
    return;
  }
  yield wrong(
    candidates.join(" or "),
    "not on the PATH: install Terraform 1.5 (https://developer.hashicorp.com/terraform/install) or OpenTofu 1.6 (https://opentofu.org/docs/intro/install), or newer",
  );
}

async function versionOf(program: string): Promise<{ name: "terraform" | "tofu"; text: string; numbers: number[] } | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ["version"], { env: { ...process.env, CHECKPOINT_DISABLE: "1" } });
    const [text, product, version] = /(Terraform|OpenTofu) v(\S+)/.exec(stdout) ?? [];
    if (!text) return undefined;
    return { name: product === "Terraform" ? "terraform" : "tofu", text, numbers: version!.split(".").map(Number) };
  } catch {
    return undefined;
  }
}

function atLeast(actual: readonly number[], [major, minor]: readonly [number, number]): boolean {
  return actual[0]! > major || (actual[0] === major && actual[1]! >= minor);
}

/** The hooks run the node of the PATH, which need not be the one that runs this. */
async function* nodeOnPath(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  try {
    const { stdout } = await promisify(execFile)("node", ["--version"], { env });
    const version = stdout.trim().replace(/^v/, "");
    yield atLeast(version.split(".").map(Number), OLDEST_NODE)
      ? good("node", version)
      : wrong(
          "node",
          `${version}, but ${OLDEST_NODE.join(".")} is the oldest that works: put a newer one on the PATH of Terraform`,
        );
  } catch {
    yield wrong("node", "not on the PATH: the hooks of a stack are run by node; install version 20.18.1 or newer");
  }
}

function* hookPrograms({ programs, folder }: Stack): Generator<Finding> {
  if (programs.length === 0) yield doubtful("stack", `${folder} has no hooks: no Platform was synthesized into it`);
  for (const { path, present } of programs) {
    yield present
      ? good("hook program", path)
      : wrong("hook program", `${path} is missing below ${folder}: synthesize again, and move the folder with its assets`);
  }
}

async function* service(literals: ConnectionLiterals, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  let target: Connection;
  try {
    target = connection(literals, env);
  } catch (error) {
    yield wrong("service", told(error));
    return;
  }
  for (const warning of target.warnings) yield doubtful("service", warning);
  const client = openClient({ ...literals, insecureSkipVerify: target.insecureSkipVerify }, env, new Redactor());
  try {
    const asked = Date.now();
    const clock = await client.clock({ deadline: asked + SERVICE_LIMIT_MS });
    const took = Date.now() - asked;
    yield good("service", `${target.url} answers, and takes the token (${took} ms)`);
    yield skew(clock, asked + took / 2);
    const clusters = await client.listClusters({ deadline: Date.now() + SERVICE_LIMIT_MS });
    yield good("lists", `${clusters.names().length} clusters can be read`);
  } catch (error) {
    yield wrong("service", told(error));
  } finally {
    await client.close();
  }
}

function skew(clock: Date | undefined, now: number): Finding {
  if (!clock) return doubtful("clock", "the service does not tell its time");
  const seconds = Math.round((clock.getTime() - now) / 1000);
  // A Date header is cut to whole seconds.
  if (Math.abs(seconds) <= 2) return good("clock", "agrees with the service's");
  const message = `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead of"} the service's`;
  return Math.abs(seconds) <= SKEW_LIMIT_SECONDS ? good("clock", message) : doubtful("clock", `${message}: synchronize it`);
}

function* secrets({ secrets }: Stack, env: NodeJS.ProcessEnv): Generator<Finding> {
  const looked = secrets.map((secret) => ({ ...secret, why: secret.lack(env) }));
  const missing = looked.filter(({ why }) => why !== undefined);
  for (const { where, place, why } of missing)
    yield wrong(place, `needed by ${where}, but ${why}: provide it where Terraform runs`);
  if (missing.length < looked.length)
    yield good("secrets", `${looked.length - missing.length} of the ${looked.length} that the stack refers to are there`);
}

function told(error: unknown): string {
  return error instanceof ClusterPlatformError ? `${error.message} [${error.code}]` : String(error);
}
