import { ConfigurationError } from "../../../model/errors";
import { visible } from "../../../model/printable";

/**
 * A variable that the pipeline has to set.
 *
 * @throws INVALID_SETTING
 */
export function setting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw invalidSetting(name, what, "nothing");
}

/**
 * A variable that holds a URL, without slashes at its end.
 *
 * @throws INVALID_SETTING
 */
export function urlSetting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const url = setting(env, name, what).replace(/\/+$/, "");
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw invalidSetting(name, what, url);
}

export function invalidSetting(name: string, what: string, got: string): ConfigurationError {
  return new ConfigurationError("INVALID_SETTING", `environment: '${name}' must be ${what}, got ${visible(got)}`);
}
