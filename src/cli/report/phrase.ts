import { groupedBy } from "./grouped-by";

/** This package's words around foreign text (names, values, addresses). Every format escapes the foreign text in its own way. */
export interface Phrase {
  readonly words: readonly string[];
  readonly values: readonly (string | Phrase)[];
}

export function phrase(words: TemplateStringsArray | readonly string[], ...values: (string | Phrase)[]): Phrase {
  return { words: [...words], values };
}

export function plain(text: string): Phrase {
  return { words: [text], values: [] };
}

export function joined(parts: readonly Phrase[], separator: string): Phrase {
  const [first = plain(""), ...rest] = parts;
  if (rest.length === 0) return first;
  return { words: ["", ...rest.map(() => separator), ""], values: [first, ...rest] };
}

/** `a, b and 3 more`. */
export function phrases(all: readonly Phrase[], limit: number): Phrase {
  const shown = joined(all.slice(0, limit), ", ");
  return all.length > limit ? phrase`${shown} and ${plain(`${all.length - limit} more`)}` : shown;
}

/** Each value is foreign text. */
export function listed(values: readonly string[], limit = 10): Phrase {
  return phrases(
    values.map((value) => phrase`${value}`),
    limit,
  );
}

export function written({ words, values }: Phrase, write: (foreign: string) => string): string {
  if (values.length === 0) return words.join("");
  return words.reduce((text, word, index) => {
    const value = values[index - 1]!;
    return text + (typeof value === "string" ? write(value) : written(value, write)) + word;
  });
}

/** `1 cluster`, `2 clusters`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** As in `1 cluster missing` and `2 providers unmanaged`, in the order in which they come first. */
export function tallied(all: readonly { readonly kind: string; readonly what: string }[]): string[] {
  const groups = groupedBy(all, ({ kind, what }) => `${kind} ${what}`);
  return [...groups.values()].map((group) => `${counted(group.length, group[0]!.kind)} ${group[0]!.what}`);
}
