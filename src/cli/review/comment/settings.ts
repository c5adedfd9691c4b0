import { ConfigurationError } from "../../../model/errors";
import { visible } from "../../../model/printable";

/** @throws INVALID_SETTING if the variable is not set or empty */
export function setting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw invalidSetting(name, what, "nothing");
}

/** Removes trailing slashes. @throws INVALID_SETTING if the variable is not a URL */
export function urlSetting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const url = setting(env, name, what).replace(/\/+$/, "");
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw invalidSetting(name, what, url);
}

export function invalidSetting(name: string, what: string, got: string): ConfigurationError {
  return new ConfigurationError("INVALID_SETTING", `environment: '${name}' must be ${what}, got ${visible(got)}`);
}
