import * as z from "zod/mini";
import { ConfigurationError } from "../model/errors";
import { wrongFields } from "./body-check";
import { type Fault, faultSchema } from "./fault";
import { FAULT_KINDS } from "./fault-kinds";

const NUMBERS = new Map(Object.entries({ times: "times", skip: "skip", "retry-after": "retryAfterSeconds" }));
const KINDS = new Map(Object.entries(FAULT_KINDS));

/**
 * Parses a fault from a command line: `[METHOD] [/path] KIND [after] [times=N] [skip=N] [retry-after=SECONDS]`. KIND is a kind of
 * {@link Fault}, with its value if it has one: `status=503`, `slow=2`, `html=502`.
 * @throws INVALID_SETTING
 */
export function parseFault(text: string): Fault {
  const fault: Record<string, unknown> = {};
  for (const word of text.trim().split(/\s+/)) {
    const [key, value] = word.split("=", 2) as [string, string?];
    if (word.startsWith("/")) fault.path = word;
    else if (/^[A-Z]+$/.test(word)) fault.method = word;
    else if (word === "after" || word === "before") fault.when = word;
    else if (NUMBERS.has(key)) fault[NUMBERS.get(key)!] = numeric(value ?? "");
    else {
      fault.kind = key;
      if (value !== undefined) fault[KINDS.get(key)?.value ?? key] = numeric(value);
    }
  }
  const example = '"POST /api/v1/platform/providers/clusters drop after times=1"';
  checkFault(fault, `fault '${text}'`, `; for example ${example}`);
  return fault as unknown as Fault;
}

/** @throws INVALID_SETTING */
export function checkFault(given: object, subject: string, example = ""): void {
  const fault = given as Record<string, unknown>;
  const wrong = wrongFields(faultSchema, fault);
  if (wrong.length === 0) return;
  const got = (field: string) => (typeof fault[field] === "string" ? `, got ${JSON.stringify(fault[field])}` : "");
  const list = wrong.map(({ field, message }) => `'${field}' ${message}${got(field)}`).join("; ");
  throw new ConfigurationError("INVALID_SETTING", `${subject}: ${list}${example}`);
}

export const FAULT_KIND_FORMS = Object.entries(FAULT_KINDS).map(([kind, { fields, values }]) => {
  if (values === undefined) return kind;
  return Object.values(fields)[0] instanceof z.ZodMiniOptional ? `${kind}[=${values}]` : `${kind}=${values}`;
});

/** Other text is returned as it is, and the schema refuses it. */
function numeric(text: string): unknown {
  return text === "" || Number.isNaN(Number(text)) ? text : Number(text);
}
