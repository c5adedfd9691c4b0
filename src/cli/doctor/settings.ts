import { readRunSettings } from "../../host/run-settings";
import { nearest } from "../../util/nearest";
import { type CheckResult, doubtful, failed, wrong } from "./check-result";

export const PREFIX = "CLUSTER_PLATFORM_";

/** The variables that docs/settings.md describes, without the prefix. */
export const SETTINGS = [
  "ACCEPT_GONE",
  "ADOPT",
  "ALLOW_PLAIN_HTTP",
  "CA_FILE",
  "INSECURE_SKIP_VERIFY",
  "LOG",
  "TOKEN",
  "TOKEN_COMMAND",
  "TOKEN_FILE",
  "URL",
];

/** A variable that nothing reads is no mistake if it is the pipeline's own. */
export function* settings(env: NodeJS.ProcessEnv): Generator<CheckResult> {
  const others = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !SETTINGS.includes(name));
  for (const name of others) {
    const meant = nearest(name, SETTINGS);
    if (meant !== undefined)
      yield doubtful("environment", `${PREFIX}${name} is not a setting, and nothing reads it: did you mean ${PREFIX}${meant}?`);
  }
  try {
    readRunSettings(env);
  } catch (error) {
    const { message } = failed("environment", error);
    yield wrong("environment", message.replace(/^(\[\w+\] )environment: /, "$1"));
  }
}
