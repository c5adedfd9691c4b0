import { HOOK_ENV, type HookDeclared, inflate, inflatePieces } from "../../contract/hook-protocol";
import type { PlatformSettings } from "../../contract/platform-settings";
import { asSnapshot, type Snapshot } from "../../contract/snapshot";
import { baseUrlIn } from "../../model/base-url";
import { isPattern } from "../../model/object-pattern";
import { isPlainObject } from "../../util/prop-path";
import type { ProtectionSettings } from "../../model/protection";
import type { JsonObject } from "../../model/provider-type";
import { textsIn } from "./json-values";

/** What the state has besides declarations. */

/** The settings that a Platform obeys, as a plan or a state shows them. */
export interface RecordedSettings extends ProtectionSettings {
  /** As `type/kind/name`. */
  readonly adopt: ReadonlySet<string>;
  readonly connection: PlatformSettings["connection"];
}

const LISTS = ["deletionProtection", "allowDeletion", "retain", "adopt"] as const;

export function areSettings(input: unknown): input is JsonObject {
  return isPlainObject(input) && LISTS.every((key) => Array.isArray(input[key]));
}

export function readRecordedSettings(input: unknown): RecordedSettings | undefined {
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

/** The settings of a hook, or of a block of the package's own provider. Neither says what a Platform adopts. */
export function readHookSettings(settings: JsonObject): RecordedSettings | undefined {
  const { deletionProtection: all } = settings;
  return readRecordedSettings({ ...settings, adopt: [], deletionProtection: all === true ? ["*"] : all });
}

/** What the state of an object of the package's own provider says. This protection holds whatever the provider block says. */
export const protectedByState = (values: unknown) => isPlainObject(values) && values.deletion_protection === true;
export const adoptsByProvider = (values: unknown) => isPlainObject(values) && values.adopt === true;
export const serviceInState = (values: unknown) => (isPlainObject(values) ? baseUrlIn(values.service) : undefined);

/** The objects that a deletion guard or an orphan check knows of the last apply. Undefined if a forged document has others. */
export function snapshotIn(values: unknown): Snapshot | undefined {
  if (!isPlainObject(values)) return undefined;
  const { triggers_replace: triggers, input } = values;
  return (
    asSnapshot(triggers) ?? (isPlainObject(input) ? asSnapshot(ifReadable(() => inflate(String(input.objects)))) : undefined)
  );
}

/** The objects of the code that a hook knows. Undefined if the hook has none, or a forged document has others. */
export function snapshotInHook(environment: unknown): Snapshot | undefined {
  return asSnapshot(inHook(environment, HOOK_ENV.after));
}

/** What the destroy hook of an object knows of the code. Undefined for other hooks, and in a forged document. */
export function declaredInHook(environment: unknown): Pick<HookDeclared, "digests" | "retained"> | undefined {
  const declared = inHook(environment, HOOK_ENV.declared);
  if (!isPlainObject(declared) || !isPlainObject(declared.digests)) return undefined;
  return { digests: declared.digests as HookDeclared["digests"], retained: textsIn(declared.retained) };
}

function inHook(environment: unknown, name: string): unknown {
  return isPlainObject(environment) ? ifReadable(() => inflatePieces(environment, name)) : undefined;
}

/** A forged document may have anything. */
function ifReadable(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
