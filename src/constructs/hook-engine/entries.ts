import { declarationsLocalId } from "../../contract/addresses";
import { CHUNK_CHARACTERS, HOOK_ENV, type HookEntry } from "../../contract/hook-protocol";
import type { DeclaredObject } from "../synth/declared-object";
import { piecesOf } from "./pieces";
import { OVERRIDES } from "../../declarations/declaration";
import { propOf } from "../../declarations/trigger-keys";
import { oncePerObject } from "../../util/once-per";
import { escapeLiterals, holdsToken, inertJson, keepLiterals, withoutTokens } from "../synth/tokens";

/** The size of a token's value is not known at synth. This leaves room for as much as one variable may have on Linux. */
const CHUNKS_FOR_TOKENS = 4;

/**
 * The declarations of a block: locals with the declarations, and expressions that give an instance its own.
 *
 * For every instance, Terraform walks through all values that `for_each` reads, and it parses every string of a local several
 * times per plan. So a declaration is one text in the local of `for_each`. A declaration with tokens is null there and an object
 * in a second local, because Terraform fills in the tokens and shows them field by field.
 */
export class Entries {
  private readonly withTokens: string;

  constructor(
    private readonly id: string,
    private readonly objects: () => readonly DeclaredObject[],
  ) {
    this.withTokens = declarationsLocalId(id, "with tokens");
  }

  /** Values of the locals by id. Call these functions when the stack is synthesized. */
  get locals(): Record<string, () => Record<string, unknown>> {
    return {
      [this.id]: () => byName(this.objects(), (object) => (object.hasTokens ? null : entryText(object))),
      [this.withTokens]: () =>
        byName(
          this.objects().filter(({ hasTokens }) => hasTokens),
          entryObject,
        ),
    };
  }

  /** All triggers are text. */
  get triggers(): string {
    const entry = this.either("jsondecode(each.value)", `local.${this.withTokens}[each.key]`);
    const hasJson = this.objects().some((object) => jsonTriggersOf(object) !== undefined);
    const text = hasJson ? `contains(try(${entry}.json, []), k) ? jsonencode(v) : tostring(v)` : "tostring(v)";
    return `\${{ for k, v in ${entry}.triggers : k => ${text} }}`;
  }

  /** Has as many variables as the largest entry needs. */
  get environment(): Record<string, string> {
    // As text, because Fn.jsonencode() of cdktf fails on quotes.
    const encoded = `base64gzip(${this.either("each.value", `jsonencode(local.${this.withTokens}[each.key])`)})`;
    return piecesOf(HOOK_ENV.entry, encoded, this.chunks());
  }

  private get hasTokens(): boolean {
    return this.objects().some(({ hasTokens }) => hasTokens);
  }

  private either(ofText: string, ofObject: string): string {
    return this.hasTokens ? `(each.value == null ? ${ofObject} : ${ofText})` : ofText;
  }

  private chunks(): number {
    const sizes = this.objects().map((object) =>
      Buffer.byteLength(object.hasTokens ? JSON.stringify(withoutTokens(object.spec)) : entryText(object)),
    );
    // base64 makes text longer by a third, and gzip hardly ever.
    const largest = sizes.reduce((most, size) => Math.max(most, size), 0) * 1.4;
    return Math.max(Math.ceil(largest / CHUNK_CHARACTERS), this.hasTokens ? CHUNKS_FOR_TOKENS : 1);
  }
}

function byName<T>(objects: readonly DeclaredObject[], value: (object: DeclaredObject) => T): Record<string, T> {
  return Object.fromEntries(objects.map((object) => [object.name, value(object)]));
}

/** cdktf asks three times for each object. */
const entryText = oncePerObject((object: DeclaredObject) => inertJson(entryOf(object)));
const entryObject = oncePerObject((object: DeclaredObject) => escapeLiterals(entryOf(object)));

function entryOf(object: DeclaredObject): HookEntry {
  const { path, triggers, adopt, byName, spec } = object;
  const json = jsonTriggersOf(object);
  const flags = { ...(json && { json }), ...(adopt && { adopt }), ...(byName && { byName }) };
  return { path, triggers: normalized(triggers), ...flags, spec: keepLiterals(spec) };
}

/** The triggers that Terraform encodes as JSON when it knows the values of their tokens. Undefined if there are none. */
function jsonTriggersOf({ triggers }: DeclaredObject): string[] | undefined {
  const keys = Object.keys(triggers).filter((key) => propOf(key) === OVERRIDES && holdsToken(triggers[key]));
  return keys.length > 0 ? keys : undefined;
}

/** Terraform's jsondecode() refuses keys that are not in Unicode's normal form C. */
function normalized(triggers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(triggers).map(([key, value]) => [key.normalize("NFC"), value]));
}
