import { ConfigurationError } from "../../../model/errors";
import { visible } from "../../../model/printable";

/**
 * An environment variable that the pipeline must set.
 *
 * @throws INVALID_SETTING
 */
export function setting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw invalidSetting(name, what, "nothing");
}

/**
 * An environment variable with a URL. Trailing slashes are removed.
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
