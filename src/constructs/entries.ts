import { declarationsLocalId } from "../contract/addresses";
import { CHUNK_CHARACTERS, HOOK_ENV, type HookEntry } from "../contract/hook-protocol";
import type { DeclaredObject } from "./declared-object";
import { piecesOf } from "./pieces";
import { escapeLiterals, inertJson, keepLiterals } from "./tokens";

/** What tokens may come to is not known at synth: room for as much as a variable of Linux holds. */
const CHUNKS_FOR_TOKENS = 4;

/**
 * The declarations of a block on their way to Terraform and the create hooks: locals that hold them, and expressions
 * that find in those what belongs to an instance.
 *
 * Terraform walks through everything that `for_each` reads for every instance anew, and parses every string of a local
 * several times per plan. So a declaration is one text, the value of its key in `for_each`. Only one with tokens, which
 * Terraform fills in and shows field by field, is an object in a local beside it, and null in the first.
 */
export class Entries {
  private readonly withTokens: string;

  constructor(
    /** Of the block, and of the local that its `for_each` reads. */
    private readonly id: string,
    private readonly objects: () => readonly DeclaredObject[],
  ) {
    this.withTokens = declarationsLocalId(id, "with tokens");
  }

  /** What the locals hold, by their ids; to be asked for when the stack is synthesized. */
  get locals(): Record<string, () => Record<string, unknown>> {
    return {
      [this.id]: () => byName(this.objects(), (object) => (hasTokens(object) ? null : entryText(object))),
      [this.withTokens]: () => byName(this.objects().filter(hasTokens), entryObject),
    };
  }

  /** The expression of an instance's triggers, which are text whatever was declared. */
  get triggers(): string {
    const entry = this.either("jsondecode(each.value)", `local.${this.withTokens}[each.key]`);
    return `\${{ for k, v in ${entry}.triggers : k => tostring(v) }}`;
  }

  /** The entry of an instance as a hook reads it, in as many variables as the largest needs. */
  get environment(): Record<string, string> {
    // By reference, since cdktf's own jsonencode() breaks on quotes.
    const encoded = `base64gzip(${this.either("each.value", `jsonencode(local.${this.withTokens}[each.key])`)})`;
    return piecesOf(HOOK_ENV.entry, encoded, this.chunks());
  }

  private either(ofText: string, ofObject: string): string {
    return this.objects().some(hasTokens) ? `(each.value == null ? ${ofObject} : ${ofText})` : ofText;
  }

  private chunks(): number {
    const objects = this.objects();
    const sizes = objects.map((object) => (hasTokens(object) ? JSON.stringify(object.spec) : entryText(object)).length);
    // gzip never makes text longer by more than a trace, base64 by a third.
    const largest = sizes.reduce((most, size) => Math.max(most, size), 0) * 1.4;
    return Math.max(Math.ceil(largest / CHUNK_CHARACTERS), objects.some(hasTokens) ? CHUNKS_FOR_TOKENS : 1);
  }
}

/** A declaration without tokens has become a request body. */
export function hasTokens({ body }: DeclaredObject): boolean {
  return body === undefined;
}

function byName<T>(objects: readonly DeclaredObject[], value: (object: DeclaredObject) => T): Record<string, T> {
  return Object.fromEntries(objects.map((object) => [object.name, value(object)]));
}

const entryText = remembered(({ path, triggers, adopt, body }) => {
  const entry: HookEntry = { path, triggers: normalized(triggers), ...(adopt && { adopt }), body: keepLiterals(body) };
  return inertJson(entry);
});

const entryObject = remembered(({ path, triggers, adopt, spec }) => {
  const entry: HookEntry = { path, triggers, ...(adopt && { adopt }), spec: keepLiterals(spec) };
  return escapeLiterals(entry);
});

/** Terraform's jsondecode() refuses keys in another of Unicode's forms than the one that it keeps. */
function normalized(triggers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(triggers).map(([key, value]) => [key.normalize("NFC"), value]));
}

/** cdktf asks for everything three times over; what was declared does not change in between. */
function remembered<T>(make: (object: DeclaredObject) => T): (object: DeclaredObject) => T {
  const made = new WeakMap<DeclaredObject, { readonly value: T }>();
  return (object) => {
    const known = made.get(object) ?? { value: make(object) };
    made.set(object, known);
    return known.value;
  };
}
