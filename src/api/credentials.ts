import { TOKEN_RULE, tokenProblem } from "../model/token";
import { ConfigurationError } from "../model/errors";
import { disclosable } from "../util/printable";
import { Redactor } from "../util/redaction";
import { locate, readRegularFile } from "../util/regular-file";

export interface Credentials {
  /** The token. The first call obtains it, and later calls return the same token. */
  token(): Promise<string>;
  /** A newer token than the refused one; undefined if there is none. */
  renew(): Promise<string | undefined>;
}

/** Time limit of a credential helper, in milliseconds. A person may have to touch a key. */
const COMMAND_LIMIT_MS = 30_000;
/** Far above the size of any token. */
const TOKEN_FILE_LIMIT_MIB = 1;

const SOURCES = {
  CLUSTER_PLATFORM_TOKEN: "the token itself",
  CLUSTER_PLATFORM_TOKEN_FILE: "the path of a file that holds it",
  CLUSTER_PLATFORM_TOKEN_COMMAND: "a command that prints it",
} as const;

type Source = keyof typeof SOURCES;

/**
 * Exactly one of three variables must be set, so that no precedence decides whose rights a run has. `redactor` removes secrets
 * from the output of a failed command.
 * @throws MISSING_TOKEN, INVALID_SETTING; reading the token throws the same.
 */
export function credentials(env: NodeJS.ProcessEnv, redactor = new Redactor()): Credentials {
  const given = (Object.keys(SOURCES) as Source[]).filter((name) => env[name]?.trim());
  const [source, ...others] = given;
  if (source === undefined) {
    const ways = Object.entries(SOURCES).map(([name, what]) => `${name} (${what})`);
    throw new ConfigurationError(
      "MISSING_TOKEN",
      `no token for the service, and nothing was sent: set one of ${ways.join(", ")} where Terraform runs`,
    );
  }
  if (others.length > 0) {
    throw new ConfigurationError("INVALID_SETTING", `environment: ${given.join(" and ")} are set together: unset all but one`);
  }
  const value = env[source]!;
  if (source === "CLUSTER_PLATFORM_TOKEN") return new RenewableToken(async () => value, source);
  if (source === "CLUSTER_PLATFORM_TOKEN_FILE") return new RenewableToken(async () => readTokenFile(value.trim()), source);
  return new RenewableToken(() => askCommand(value, env, redactor), source);
}

class RenewableToken implements Credentials {
  #current: Promise<string> | undefined;
  #renewal: Promise<string | undefined> | undefined;

  constructor(
    private readonly obtain: () => Promise<string>,
    private readonly source: Source,
  ) {}

  token(): Promise<string> {
    return (this.#current ??= this.#obtain());
  }

  /** Reads the file or runs the command once, even if many requests were refused at the same time. */
  renew(): Promise<string | undefined> {
    return (this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined)));
  }

  async #renew(): Promise<string | undefined> {
    const [refused, fresh] = [await this.token(), await this.#obtain()];
    if (fresh === refused) return undefined;
    this.#current = Promise.resolve(fresh);
    return fresh;
  }

  async #obtain(): Promise<string> {
    const token = (await this.obtain()).trim();
    const wrong = tokenProblem(token);
    if (wrong === undefined) return token;
    throw new ConfigurationError(
      token === "" ? "MISSING_TOKEN" : "INVALID_SETTING",
      `environment: '${this.source}' must give a token, ${TOKEN_RULE}, ${wrong}`,
    );
  }
}

function readTokenFile(path: string): string {
  const file = locate(path);
  const read = readRegularFile(file, TOKEN_FILE_LIMIT_MIB);
  if ("bytes" in read) return read.bytes.toString();
  throw new ConfigurationError(
    "MISSING_TOKEN",
    `environment: 'CLUSTER_PLATFORM_TOKEN_FILE' must name a readable file, but ${file} ${read.problem}`,
  );
}

async function askCommand(command: string, env: NodeJS.ProcessEnv, redactor: Redactor): Promise<string> {
  const { runTokenCommand } = await import("./token-command");
  const { stdout, stderr, failure } = await runTokenCommand(command, env, COMMAND_LIMIT_MS);
  if (failure === undefined) return stdout;
  // The command may have printed the token before it failed.
  redactor.add(stdout.trim());
  const output = disclosable(stderr, redactor).slice(-STDERR_SHOWN);
  throw new ConfigurationError(
    "MISSING_TOKEN",
    // The command is not shown: it may hold a secret.
    `environment: 'CLUSTER_PLATFORM_TOKEN_COMMAND' must be a command that prints a token and ends with 0, but it ${failure}${output && `: ${output}`}`,
  );
}

/** The end of the output, where a failing command says why. */
const STDERR_SHOWN = 1_000;
