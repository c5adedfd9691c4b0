import type { HookSettings } from "../../contract/hook-protocol";
import { asSnapshot, type Snapshot } from "../../contract/snapshot";
import { isPattern } from "../../model/object-pattern";
import { isPlainObject } from "../../model/prop-path";
import type { ProtectionSettings } from "../../model/protection";
import type { JsonObject } from "../../model/provider-type";
import { textsIn } from "./json-values";

/** What the support resources of a Platform with hooks record in the state. */

/** The settings that the hooks of a Platform obey. */
export interface PlatformSettings extends ProtectionSettings {
  /** As `type/kind/name`. */
  readonly adopt: ReadonlySet<string>;
  readonly connection: HookSettings["connection"];
}

const LISTS = ["deletionProtection", "allowDeletion", "retain", "adopt"] as const;

export function areSettings(input: unknown): input is JsonObject {
  return isPlainObject(input) && LISTS.every((key) => Array.isArray(input[key]));
}

export function readPlatformSettings(input: unknown): PlatformSettings | undefined {
  if (!areSettings(input)) return undefined;
  return {
    // A document may be forged. Text that is not a pattern protects nothing.
    deletionProtection: textsIn(input.deletionProtection).filter((text) => isPattern(text)),
    allowDeletion: textsIn(input.allowDeletion),
    retain: textsIn(input.retain),
    adopt: new Set(textsIn(input.adopt)),
    connection: isPlainObject(input.connection) ? input.connection : {},
  };
}

/** The objects that a deletion guard or an orphan check knows. */
export function snapshotIn(values: unknown): Snapshot | undefined {
  return isPlainObject(values) ? asSnapshot(values.triggers_replace) : undefined;
}
