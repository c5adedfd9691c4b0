import type { TypeCode } from "../../model/provider-type";
import { block, comment, constantOf, TODO, type Code } from "./source";

/** What the service's lists do not show: a constant for each value without a default, and a comment with the defaults. */
export class HiddenValues {
  readonly #names = new Map<string, string>();
  readonly #constants: { readonly about: string; readonly statement: string }[] = [];
  readonly #defaults = new Map<string, Map<string, Set<TypeCode>>>();

  constructor(private readonly identifier: (words: readonly string[]) => string) {}

  get edits(): number {
    return this.#constants.length;
  }

  /** @returns the constant of a value. The same words are the same constant */
  value(words: readonly string[], rule: string): string {
    return this.#constant(words, rule, TODO);
  }

  /**
   * @param rules of the fields, by their props
   * @returns the constant of several fields
   */
  fields(words: readonly string[], rules: Readonly<Record<string, string>>): string {
    const about = Object.entries(rules).map(([prop, rule]) => `${prop}: ${rule}`);
    return this.#constant(words, about.join("; "), block(Object.fromEntries(Object.keys(rules).map((prop) => [prop, TODO]))));
  }

  /** Notes a default that the program relies on. @param of the part of a declaration, as in `clusters` */
  byDefault(of: string, type: TypeCode, field: string): void {
    const fields = this.#defaults.get(of) ?? new Map<string, Set<TypeCode>>();
    this.#defaults.set(of, fields.set(field, (fields.get(field) ?? new Set()).add(type)));
  }

  /** One comment for neighbors of the same rules. */
  constants(): string {
    const lines = this.#constants.flatMap(({ about, statement }, index) =>
      about === this.#constants[index - 1]?.about ? [statement] : [comment(about), statement],
    );
    return lines.join("\n");
  }

  /** A paragraph for each part of a declaration and each set of types. */
  defaults(): string[] {
    const types = new Set([...this.#defaults.values()].flatMap((fields) => [...fields.values()].flatMap((of) => [...of])));
    return [...this.#defaults].flatMap(([of, fields]) => {
      const byTypes = new Map<string, string[]>();
      for (const [field, some] of fields) {
        const which = some.size === types.size ? of : `${of} of ${[...some].join(", ")}`;
        byTypes.set(which, [...(byTypes.get(which) ?? []), field]);
      }
      return [...byTypes].map(([which, listed]) => `${which}: ${listed.join(", ")}`);
    });
  }

  #constant(words: readonly string[], about: string, value: Code): string {
    const key = JSON.stringify(words);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.identifier(words);
    this.#names.set(key, name);
    this.#constants.push({ about, statement: constantOf(name, value) });
    return name;
  }
}
