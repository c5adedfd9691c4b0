import { isDeepStrictEqual } from "node:util";
import { isPlainObject } from "../../../util/prop-path";
import type { JsonObject } from "../../../model/provider-type";
import { blocksOf } from "../../../recognition/configuration-blocks";
import { templatesIn, TYPED_KINDS } from "../../../terraform/template-text";
import { type Reference, referencesIn } from "../plan/references";
import { nodeOf } from "../plan/synthesized-stack";
import { argumentsOf, instancesIn, resourcesIn } from "./program";

/** Whether values differ in two programs, or may differ because an expression in them refers to something that does. */
export class ChangedValues {
  readonly #changed = new Map<string, boolean>();

  /** @param base elements by their names in expressions */
  constructor(
    private readonly base: ReadonlyMap<string, unknown>,
    private readonly head: ReadonlyMap<string, unknown>,
  ) {}

  mayDiffer(one: unknown, other: unknown): boolean {
    return !isDeepStrictEqual(one, other) || templatesIn(other).some((template) => this.mayChange(template));
  }

  /** Whether an expression of the second program may have another value than in the first one. */
  mayChange(expression: string): boolean {
    return EVER_ANOTHER.test(expression) || referencesIn(expression).some((reference) => this.#isChanged(this.#named(reference)));
  }

  #named(reference: Reference): string {
    const name = nodeOf(reference);
    return this.base.has(name) || this.head.has(name) ? name : reference.block;
  }

  #isChanged(name: string): boolean {
    if (!this.#changed.has(name)) {
      // Terraform refuses elements that refer to each other in a circle.
      this.#changed.set(name, false);
      this.#changed.set(name, this.mayDiffer(this.base.get(name), this.head.get(name)));
    }
    return this.#changed.get(name)!;
  }
}

const EVER_ANOTHER = /\b(?:timestamp|plantimestamp|uuid|bcrypt)\(/;

/** What an expression may refer to. */
export function elementsIn(stack: Readonly<JsonObject>): Map<string, unknown> {
  const { locals, variable, module } = stack;
  const named = (kind: string, all: unknown) =>
    entriesOf(all).map(([name, body]): [string, unknown] => [`${kind}.${name}`, body]);
  return new Map<string, unknown>([
    ...blocksOf({ locals }).map(({ address, body }): [string, unknown] => [address, body]),
    ...named("var", variable),
    ...named("module", module),
    ...[...TYPED_KINDS].flatMap((kind) => entriesOf(stack[kind]).flatMap(([type, all]) => named(`${kind}.${type}`, all))),
    ...resourcesIn(stack).map(({ address, body }): [string, unknown] => [
      address,
      [argumentsOf(body), body.for_each, body.count],
    ]),
    ...instancesIn(stack).flatMap(({ address, fields }): [string, unknown][] => (fields ? [[address, fields]] : [])),
  ]);
}

const entriesOf = (value: unknown) => (isPlainObject(value) ? Object.entries(value) : []);
