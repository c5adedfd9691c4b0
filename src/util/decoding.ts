/**
 * A text, or what it says once encodings are undone. Its UTF-8 as a string with one character per byte, because some encodings
 * encode characters and others bytes.
 */
export interface Reading {
  readonly bytes: string;
  /** The part of the text that encodes a part of this reading. */
  locate(from: number, to: number): [from: number, to: number];
}

export function utf8(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text).toString("latin1");
}

const ASCII = /^[\0-\x7f]*$/;
const NOT_ASCII = /[^\0-\x7f]/gu;

/** Limits the time for a text in which a decoder finds something again and again, such as `%2525252525252541`. */
const DECODED_PER_BYTE = 64;
/** In bytes. For short texts. */
const DECODED_ALWAYS = 100_000;

/**
 * The text, then what it says with one encoding undone, then with two, and so on, in every order of encodings.
 * @param shortest in bytes; a reading is left out if it can only hold less
 */
export function readings(text: string, shortest: number): Reading[] {
  const original: Reading = { bytes: text, locate: (from, to) => [from, to] };
  const first = ASCII.test(text) ? original : new Rewriting(original, NOT_ASCII, utf8);
  const found = [first];
  const known = new Set<string>();
  let rest = DECODED_ALWAYS + DECODED_PER_BYTE * first.bytes.length;
  for (const reading of found) {
    for (const next of decoded(reading, shortest)) {
      if (known.has(next.key)) continue;
      if ((rest -= next.bytes.length) < 0) return found;
      known.add(next.key);
      found.push(next);
    }
  }
  return found;
}

interface DecodedReading extends Reading {
  /** Readings with the same key have the same bytes. */
  readonly key: string;
}

/** What a reading says with one more encoding undone. */
function decoded(reading: Reading, shortest: number): DecodedReading[] {
  const { bytes } = reading;
  const found: DecodedReading[] = [];
  if (bytes.includes("\\")) found.push(new Rewriting(reading, ESCAPE, unescaped));
  if (bytes.includes("%")) found.push(new Rewriting(reading, PERCENT, percentDecoded));
  if (bytes.includes("&")) found.push(new Rewriting(reading, ENTITY, entityDecoded));
  if (hasRun(bytes, BASE64_DIGITS, Math.min(Math.ceil((shortest * 4) / 3), BASE64_LINE))) {
    found.push(new Decoding(reading, BASE64));
  }
  if (hasRun(bytes, HEX_DIGITS, 2 * shortest) || SEPARATED_HEX.test(bytes)) {
    found.push(new Decoding(reading, HEX));
  }
  return found.filter((next) => next.key !== bytes);
}

/** Of strings in JSON, and in the languages in which programs log: Go, Python, JavaScript and C. */
const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[abfnrtv]|[^A-Za-z0-9])/g;
const CONTROL: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

function unescaped(token: string): string {
  if (token.length === 2) return CONTROL[token[1]!] ?? token[1]!;
  if (token[1] === "x") return String.fromCharCode(parseInt(token.slice(2), 16));
  if (token[1] === "u" && token[2] !== "{") return utf8(JSON.parse(`"${token}"`) as string);
  return character(parseInt(/[0-9a-f]+/i.exec(token)![0], 16)) ?? token;
}

const PERCENT = /%[0-9a-fA-F]{2}/g;

function percentDecoded(token: string): string {
  return String.fromCharCode(parseInt(token.slice(1), 16));
}

/** Encoders use these names only, and numbers for the rest. */
const ENTITY = /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);/g;
const NAMED: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'" };

function entityDecoded(token: string): string {
  return NAMED[token] ?? character(Number(token.slice(2, -1).replace(/^x/i, "0x"))) ?? token;
}

function character(codePoint: number): string | undefined {
  return codePoint <= 0x10ffff ? utf8(String.fromCodePoint(codePoint)) : undefined;
}

interface Digits {
  readonly encoding: "base64" | "hex";
  readonly others: RegExp;
  readonly digitsPerGroup: number;
  readonly bytesPerGroup: number;
  /** Digits of bytes that are in no UTF-8. */
  readonly padding: string;
}

const BASE64: Digits = { encoding: "base64", others: /[^A-Za-z0-9+/_-]+/g, digitsPerGroup: 4, bytesPerGroup: 3, padding: "/" };
const HEX: Digits = { encoding: "hex", others: /\b0x|[^0-9a-fA-F]+/g, digitsPerGroup: 2, bytesPerGroup: 1, padding: "f" };
/** Two groups, such as `41:42`, `4142 4344` or `0x41, 0x42`. */
const SEPARATED_HEX = /[0-9a-fA-F]{2}[^0-9A-Za-z]{1,2}(?:0x)?[0-9a-fA-F]{2}/;
/** The shortest line, in digits, on which a longer text is looked for. Encoders break lines at 64 or 76. */
const BASE64_LINE = 40;

const BASE64_DIGITS = setOf(/[A-Za-z0-9+/_-]/);
const HEX_DIGITS = setOf(/[0-9a-fA-F]/);

/** By code. */
function setOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => Number(characters.test(String.fromCharCode(code))));
}

/** Whether a text has so many characters of a set in a row. Looks at few of the others. */
function hasRun(bytes: string, characters: Uint8Array, length: number): boolean {
  let start = 0;
  while (start + length <= bytes.length) {
    let at = start + length - 1;
    while (at >= start && characters[bytes.charCodeAt(at)]) at--;
    if (at < start) return true;
    start = at + 1;
  }
  return false;
}

/** A reading with each token replaced. */
class Rewriting implements DecodedReading {
  readonly bytes: string;
  #edits: Edit[] | undefined;

  constructor(
    private readonly source: Reading,
    private readonly token: RegExp,
    private readonly meaning: string | ((token: string) => string),
  ) {
    this.bytes = source.bytes.replace(token, meaning as string);
  }

  get key(): string {
    return this.bytes;
  }

  locate(from: number, to: number): [number, number] {
    const [first, last] = [this.#editBefore(from), this.#editBefore(to - 1)];
    return this.source.locate(
      from < first.end ? first.from : first.to + from - first.end,
      to <= last.end ? last.to : last.to + to - last.end,
    );
  }

  /** The last edit that begins at or before a place in the result. */
  #editBefore(index: number): Edit {
    const edits = (this.#edits ??= this.#trace());
    let [low, high] = [0, edits.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (edits[middle]!.start <= index) low = middle;
      else high = middle;
    }
    return edits[low]!;
  }

  /** Made only when a secret is found, which is seldom. */
  #trace(): Edit[] {
    const edits: Edit[] = [{ from: 0, to: 0, start: 0, end: 0 }];
    for (const { 0: token, index: from } of this.source.bytes.matchAll(this.token)) {
      const before = edits.at(-1)!;
      const start = before.end + from - before.to;
      const { length } = typeof this.meaning === "string" ? this.meaning : this.meaning(token);
      edits.push({ from, to: from + token.length, start, end: start + length });
    }
    return edits;
  }
}

/** `from` and `to` are places in the source, `start` and `end` in the result. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/**
 * What digits encode. Nothing shows at which digit a byte begins, so the digits are repeated until every digit has begun a group:
 * the length of one repetition is one more than a multiple of the group's.
 */
class Decoding implements DecodedReading {
  readonly key: string;
  readonly #digits: Reading;
  readonly #period: number;
  #bytes: string | undefined;

  constructor(
    source: Reading,
    private readonly kind: Digits,
  ) {
    this.#digits = new Rewriting(withBackslashes(source), kind.others, "");
    // With padding, so that nothing is found across two repetitions.
    this.#period = (Math.ceil(this.#digits.bytes.length / kind.digitsPerGroup) + 2) * kind.digitsPerGroup + 1;
    // \xff is no byte of UTF-8.
    this.key = `${this.#digits.bytes}\xff${kind.encoding}`;
  }

  get bytes(): string {
    const { encoding, digitsPerGroup, padding } = this.kind;
    const repeated = () => this.#digits.bytes.padEnd(this.#period, padding).repeat(digitsPerGroup);
    return (this.#bytes ??= Buffer.from(repeated(), encoding).toString("latin1"));
  }

  locate(from: number, to: number): [number, number] {
    const { digitsPerGroup, bytesPerGroup } = this.kind;
    const first = Math.floor((from * digitsPerGroup) / bytesPerGroup);
    const last = Math.ceil((to * digitsPerGroup) / bytesPerGroup) - 1;
    return this.#digits.locate(first % this.#period, (last % this.#period) + 1);
  }
}

/** A slash that begins a part is located with the backslashes that escape it. */
function withBackslashes(source: Reading): Reading {
  const { bytes } = source;
  const startOf = (at: number): number => {
    let start = at;
    if (bytes[at] === "/") while (bytes[start - 1] === "\\") start--;
    return start;
  };
  return { bytes, locate: (from, to) => source.locate(startOf(from), to) };
}
