import { ConfigurationError } from "../../../model/errors";

/**
 * A variable that the pipeline has to set.
 *
 * @throws INVALID_SETTING
 */
export function setting(env: NodeJS.ProcessEnv, name: string, what: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw settingFault(name, what, "nothing");
}

export function settingFault(name: string, what: string, got: string): ConfigurationError {
  return new ConfigurationError("INVALID_SETTING", `environment: '${name}' must be ${what}, got ${got}`);
}
