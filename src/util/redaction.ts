import { readings, utf8 } from "./decoding";

const MASK = "[hidden]";

/** Shorter secrets are hidden only as a whole JSON string. A password of one letter would remove that letter from every word. */
const SHORTEST = 4;
/** A line of a secret, or a value of a secret document, is hidden by itself from this length on. */
const TELLING = 16;
/** The first and last line of a key, which are the same in all keys. */
const ARMOUR = /^-----(BEGIN|END) .*-----$/;
/** What an escape that begins before a secret can take from it, such as `20` if `%` is before `20%2F8`. */
const TAKEN = /^(?:[0-9a-fA-F]{1,2}|[nrtv])/;

/** Removes secrets from text. It decodes the text instead of encoding the secrets, because encoders differ in what they encode. */
export class Redactor {
  /** In bytes, each with the number of characters that an escape before it can take. */
  readonly #secrets = new Map<string, number>();
  readonly #short = new Set<string>();
  #shortest = Infinity;

  /** Also hides longer lines, and longer strings of a JSON document, because a private key is often quoted in part. */
  add(secret: string): void {
    const trimmed = secret.trim();
    if (trimmed.length < SHORTEST) {
      if (secret !== "") this.#short.add(`"${utf8(secret)}"`);
      return;
    }
    if (trimmed !== secret) this.#search(secret);
    this.#search(trimmed);
    for (const part of partsOf(trimmed)) {
      if (part.length >= TELLING && part !== trimmed && !ARMOUR.test(part)) this.add(part);
    }
  }

  #search(secret: string): void {
    const bytes = utf8(secret);
    this.#secrets.set(bytes, TAKEN.exec(bytes)?.[0].length ?? 0);
    this.#shortest = Math.min(this.#shortest, bytes.length);
    // As in a form.
    if (secret.includes(" ")) this.#search(secret.replaceAll(" ", "+"));
  }

  /** Secrets that overlap or touch become one mark. */
  redact(text: string): string {
    const hidden = this.#occurrences(text).sort(([a], [b]) => a - b);
    let result = "";
    let end = -1;
    for (const [from, to] of hidden) {
      if (from > end) result += text.slice(Math.max(end, 0), from) + MASK;
      end = Math.max(end, to);
    }
    return result + text.slice(Math.max(end, 0));
  }

  #occurrences(text: string): [from: number, to: number][] {
    const found: [number, number][] = [];
    for (const reading of readings(text, this.#shortest)) {
      for (const [secret, taken] of this.#secrets) {
        for (let start = 0; start <= taken; start++) {
          const rest = secret.slice(start);
          for (const at of placesOf(rest, reading.bytes)) {
            const [from, to] = reading.locate(at, at + rest.length);
            if (text.endsWith(secret.slice(0, start), from)) found.push([from - start, to]);
          }
        }
      }
      for (const string of this.#short) {
        for (const at of placesOf(string, reading.bytes)) {
          const end = at + string.length;
          const isKey = /^\s*:/.test(reading.bytes.slice(end, end + 8));
          if (!isKey) found.push(reading.locate(at + 1, end - 1));
        }
      }
    }
    return found;
  }
}

function placesOf(wanted: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

function partsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/).map((line) => line.trim());
  return [...(lines.length > 1 ? lines : []), ...stringsOfDocument(secret)];
}

function stringsOfDocument(text: string): string[] {
  if (!/^\s*[{[]/.test(text)) return [];
  try {
    const strings: string[] = [];
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === "string") strings.push(value);
    });
    return strings;
  } catch {
    return [];
  }
}
