import type { ConnectionLiterals } from "../api/connection";
import { isPlainObject } from "../util/prop-path";
import type { ProtectionSettings } from "../model/protection";
import type { Times } from "../model/time-limits";

/** The literals of a Platform. Each of its hooks has them as JSON, and its provider block has them as arguments. */
export interface PlatformSettings extends ProtectionSettings, Times {
  /** The name of the Platform. Undefined if it has none. */
  readonly platform?: string;
  readonly connection: ConnectionLiterals;
}

export function isPlatformSettings(value: unknown): value is PlatformSettings {
  if (!isPlainObject(value) || !isPlainObject(value.connection)) return false;
  const { platform, createSeconds, readySeconds, deleteSeconds, pollSeconds, deletionProtection, allowDeletion, retain } = value;
  const isList = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === "string");
  return (
    (platform === undefined || typeof platform === "string") &&
    [createSeconds, readySeconds, deleteSeconds, pollSeconds].every((seconds) => typeof seconds === "number") &&
    (deletionProtection === true || isList(deletionProtection)) &&
    [allowDeletion, retain].every(isList)
  );
}
