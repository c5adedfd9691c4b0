import { bounded, visible } from "../../util/printable";
import type { JsonObject } from "../../model/provider-type";
import { isSecretInBody } from "../../model/secret-field";
import type { Redactor } from "../../util/redaction";

const ITEMS_SHOWN = 3;
const CHARACTERS_SHOWN = 300;

/** Hides values whose keys sound like a secret, even if the redactor does not know them. Cuts long lists and texts. */
export function logBody(body: unknown, redactor: Redactor): string {
  return visible(redactor.redact(JSON.stringify(loggable(body, redactor)) ?? "none"));
}

function loggable(value: unknown, redactor: Redactor): unknown {
  // Redacted before it is cut, because half a secret is not recognized.
  if (typeof value === "string") return bounded(redactor.redact(value), CHARACTERS_SHOWN);
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_SHOWN).map((item) => loggable(item, redactor));
    return value.length > ITEMS_SHOWN ? [...items, `… and ${value.length - ITEMS_SHOWN} more`] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecret(key, value as JsonObject) ? "[hidden]" : loggable(item, redactor)]),
  );
}

/** In selectors and in `{ key, value }`, such as annotations and templates of capvs, the key is a name and no secret. */
function isSecret(key: string, owner: JsonObject): boolean {
  if (key === "key" && ("value" in owner || "operator" in owner)) return false;
  return isSecretInBody(key) && owner[key] !== "" && owner[key] !== null;
}
