import { withoutKeys } from "./configuration";
import type { Plan, ResourceChange } from "./plan";

/** What a saved plan and its JSON both have. */
export interface SavedPlan {
  readonly timestamp: string | undefined;
  /** See {@link keyOf}. */
  readonly changes: ReadonlySet<string>;
}

/**
 * Reads the file `tfplan` of a saved plan, in Protocol Buffers. The messages and numbers are those of `planfile.proto` in Terraform
 * and OpenTofu, which have them in common.
 * @returns undefined if it is something else
 */
export function savedPlan(content: Uint8Array): SavedPlan | undefined {
  try {
    const plan = fieldsIn(content);
    const changes = plan.get(PLAN.resourceChanges)?.map(changeIn) ?? [];
    return { timestamp: textIn(plan, PLAN.timestamp), changes: new Set(changes.filter((key) => key !== undefined)) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * How two plans differ, or undefined if they are one. Timestamps of two plans may be equal, and a program may have removed that
 * of the JSON.
 */
export function differenceOf(saved: SavedPlan, { timestamp, changes }: Plan): string | undefined {
  if (saved.timestamp !== undefined && timestamp !== undefined && saved.timestamp !== timestamp) {
    return `it was made at ${saved.timestamp} instead of ${timestamp}`;
  }
  const shown = new Set(changes.map(keyOfShown).filter((key) => key !== undefined));
  const missing = [...saved.changes].find((key) => !shown.has(key));
  if (missing !== undefined) return `only the plan file has ${missing}`;
  const other = [...shown].find((key) => !saved.changes.has(key));
  return other === undefined ? undefined : `the plan file does not have ${other}`;
}

const PLAN = { resourceChanges: 3, timestamp: 21 };
const RESOURCE_CHANGE = { deposed: 7, change: 9, address: 13 };
const CHANGE = { action: 1 };
/** The actions that change something, as the JSON has them. */
const ACTIONS: ReadonlyMap<number, string> = new Map([
  [1, "create"],
  [3, "update"],
  [5, "delete"],
  [6, "delete,create"],
  [7, "create,delete"],
  [8, "forget"],
  [9, "create,forget"],
  [10, "forget,create"],
]);
const SHOWN_ACTIONS: ReadonlySet<string> = new Set(ACTIONS.values());

function changeIn(field: Field): string | undefined {
  const message = fieldsIn(bytesOf(field));
  const change = message.get(RESOURCE_CHANGE.change)?.at(-1);
  const number = change === undefined ? undefined : fieldsIn(bytesOf(change)).get(CHANGE.action)?.at(-1);
  const action = ACTIONS.get(typeof number === "number" ? number : 0);
  const address = textIn(message, RESOURCE_CHANGE.address) ?? "";
  // The JSON does not have the end of a data source.
  if (action === undefined || DATA.test(withoutKeys(address))) return undefined;
  return keyOf(action, address, textIn(message, RESOURCE_CHANGE.deposed));
}

const DATA = /^(?:module\.[^.]+\.)*data\./;

function keyOfShown({ address, mode, deposed, change }: ResourceChange): string | undefined {
  const action = change.actions.join();
  return mode === "data" || !SHOWN_ACTIONS.has(action) ? undefined : keyOf(action, address, deposed);
}

/** As in `delete,create of null_resource.capvs_clusters["prod"]`. */
function keyOf(action: string, address: string, deposed?: string | null): string {
  return `${action} of ${address}${deposed ? ` (deposed ${deposed})` : ""}`;
}

type Field = number | Uint8Array;

const WIRE_TYPES = { varint: 0, eightBytes: 1, bytes: 2, fourBytes: 5 };

/**
 * The fields of a message by number.
 * @throws RangeError if it is no message
 */
function fieldsIn(message: Uint8Array): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++];
      if (byte === undefined || factor > 2 ** 63) throw new RangeError("no number");
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number): Uint8Array => {
    if (at + length > message.length) throw new RangeError("too short");
    return message.subarray(at, (at += length));
  };
  const valueOf = (wireType: number): Field => {
    if (wireType === WIRE_TYPES.varint) return varint();
    if (wireType === WIRE_TYPES.bytes) return bytes(varint());
    if (wireType === WIRE_TYPES.eightBytes) return bytes(8);
    if (wireType === WIRE_TYPES.fourBytes) return bytes(4);
    throw new RangeError("unknown type");
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const value = valueOf(tag % 8);
    const before = fields.get(number);
    if (before) before.push(value);
    else fields.set(number, [value]);
  }
  return fields;
}

function bytesOf(field: Field): Uint8Array {
  if (typeof field === "number") throw new RangeError("no bytes");
  return field;
}

function textIn(message: ReadonlyMap<number, readonly Field[]>, number: number): string | undefined {
  const field = message.get(number)?.at(-1);
  return field === undefined ? undefined : Buffer.from(bytesOf(field)).toString("utf8");
}
