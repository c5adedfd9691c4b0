import { bounded } from "../../util/printable";
import type { FieldChange } from "./finding";
import { counted, joined, phrase, plain, type Phrase } from "./phrase";

/** The other changed fields are counted. */
const FIELDS_NAMED = 3;
const VALUE_CHARACTERS = 60;

export function changesPhrase(changes: readonly FieldChange[]): Phrase {
  if (changes.length === 0) return phrase`Terraform cannot update it in place, although no declared field differs`;
  const named = joined(changes.slice(0, FIELDS_NAMED).map(changePhrase), ", ");
  const more = changes.length - FIELDS_NAMED;
  return more > 0 ? phrase`${named} and ${plain(counted(more, "more field"))}` : named;
}

export function changePhrase(change: FieldChange): Phrase {
  if (change.field === "*") return phrase`its declaration is known after apply`;
  if (change.hidden) return phrase`${change.field} (hidden)`;
  const { before, after } = shownValues(change, VALUE_CHARACTERS);
  return phrase`${change.field} ${before} → ${after}`;
}

/** Long values are cut to the part that differs. */
export function shownValues(
  { before, after, unknown, hidden, notSet }: FieldChange,
  characters: number,
): { before: Phrase; after: Phrase } {
  const [one, other] = before !== null && after !== null ? differing(before, after, characters) : [before, after];
  const valuePhrase = (value: string | null) => {
    if (value === null) return plain("not set");
    return value === "" ? plain("empty") : phrase`${bounded(value, characters)}`;
  };
  const later = plain(hidden ? "hidden, known after apply" : "known after apply");
  if (hidden) {
    const sides = {
      before: { before: plain("not set"), after: plain("hidden") },
      after: { before: plain("hidden"), after: plain("not set") },
      neither: { before: plain("hidden"), after: plain("hidden, changed") },
    }[notSet ?? "neither"];
    return unknown ? { ...sides, after: later } : sides;
  }
  return { before: valuePhrase(one), after: unknown ? later : valuePhrase(other) };
}

/** If a value is too long, leaves out the beginning that both values share. */
function differing(before: string, after: string, characters: number): [string, string] {
  const longest = Math.max([...before].length, [...after].length);
  if (longest <= characters) return [before, after];
  const [one, other] = [[...before], [...after]];
  let common = 0;
  while (common < one.length && one[common] === other[common]) common++;
  const from = Math.max(0, common - 10);
  const cut = (text: string[]) => (from > 0 ? `…${text.slice(from).join("")}` : text.join(""));
  return [cut(one), cut(other)];
}
