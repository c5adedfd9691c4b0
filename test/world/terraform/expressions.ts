import type { Attributes } from "../../../src/terraform/attributes";
import { UNKNOWN, type ObjectValue } from "../../../src/terraform/value";
import type { Block, Configuration } from "./configuration";
import type { Compiled, Scope } from "./language";
import { instanceAddress, type Instance } from "./state";
import { configured } from "./values";

/** An instance of a block in the code. */
export interface Place {
  readonly address: string;
  readonly block: Block;
  readonly key?: string;
  /** The value of `each`. */
  readonly value?: unknown;
}

/** Evaluates the expressions of a program during one walk. */
export class Expressions {
  readonly #scope: Scope;
  readonly #resources: Record<string, Record<string, unknown>> = {};

  /** All resources are unknown in the beginning. */
  constructor(
    private readonly configuration: Configuration,
    workspace: string,
  ) {
    for (const { type, name, forEach } of configuration.order) (this.#resources[type] ??= {})[name] = forEach ? {} : UNKNOWN;
    this.#scope = { local: configuration.locals, terraform: { workspace }, ...this.#resources };
  }

  /** From now on, references to the instance have these values. */
  show({ block, key, deposed }: Pick<Instance, "block" | "key" | "deposed">, attributes: ObjectValue): void {
    const { type, name, forEach } = this.configuration.blocks.get(block) ?? {};
    if (type === undefined || deposed !== undefined || (forEach === undefined) !== (key === undefined)) return;
    if (key === undefined) this.#resources[type]![name!] = attributes;
    else (this.#resources[type]![name!] as Record<string, unknown>)[key] = attributes;
  }

  /** Expressions do not see an instance that the plan deletes, even before it is deleted. */
  hide({ block, key, deposed }: Pick<Instance, "block" | "key" | "deposed">): void {
    const { type, name } = this.configuration.blocks.get(block) ?? {};
    if (type !== undefined && key !== undefined && deposed === undefined) {
      delete (this.#resources[type]![name!] as Record<string, unknown>)[key];
    }
  }

  /** The names that expressions may use. */
  scopeOf({ key, value }: Pick<Place, "key" | "value"> = {}): Scope {
    return key === undefined ? this.#scope : { ...this.#scope, each: { key, value } };
  }

  placesOf(block: Block): Place[] {
    const { address, forEach } = block;
    if (!forEach) return [{ address, block }];
    return Object.entries(forEach(this.#scope) as object)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, value]) => ({ address: instanceAddress(address, key), block, key, value: value as unknown }));
  }

  /** The arguments of a block as a value of its schema. */
  evaluated(
    given: Readonly<Record<string, Compiled>>,
    attributes: Attributes,
    place: Pick<Place, "key" | "value"> = {},
  ): ObjectValue {
    const scope = this.scopeOf(place);
    const values: Record<string, unknown> = {};
    for (const name of Object.keys(given)) values[name] = given[name]!(scope);
    return configured(attributes, values);
  }
}
