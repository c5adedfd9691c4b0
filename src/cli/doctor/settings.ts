import { nearest } from "../../model/nearest";
import { type CheckResult, doubtful } from "./check-result";

export const PREFIX = "CLUSTER_PLATFORM_";

/** The variables that docs/settings.md describes, without the prefix. */
export const SETTINGS = [
  "ACCEPT_GONE",
  "ADOPT",
  "ALLOW_PLAIN_HTTP",
  "CA_FILE",
  "FORMER_URL",
  "INSECURE_SKIP_VERIFY",
  "LOG",
  "TOKEN",
  "TOKEN_COMMAND",
  "TOKEN_FILE",
  "URL",
];

/** Nothing reads such a variable. It is no mistake if it is the pipeline's own. */
export function* misspelledSettings(env: NodeJS.ProcessEnv): Generator<CheckResult> {
  const others = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !SETTINGS.includes(name));
  for (const name of others) {
    const meant = nearest(name, SETTINGS);
    if (meant !== undefined) {
      yield doubtful("environment", `${PREFIX}${name} is not a setting, and nothing reads it: did you mean ${PREFIX}${meant}?`);
    }
  }
}
