const MASK = "[hidden]";

/** Shorter secrets are hidden only as a whole JSON string. A password of one letter would remove that letter from every word. */
const SHORTEST = 4;
/** A line of a secret, or a value of a secret document, is hidden by itself from this length on. */
const TELLING = 16;
/** The first and last line of a key, which are the same in all keys. */
const ARMOUR = /^-----(BEGIN|END) .*-----$/;

/** Removes secrets from text, in all usual encodings. */
export class Redactor {
  readonly #forms = new Set<string>();
  /** By secret. Made only when a text has a percent sign. */
  readonly #percentEncoded = new Map<string, RegExp | undefined>();
  readonly #short = new Set<string>();

  /** Also hides longer lines, and longer strings of a JSON document, because a private key is often quoted in part. */
  add(secret: string): void {
    if (secret.trim().length < SHORTEST) {
      if (secret !== "") this.#short.add(`"${escapeJson(secret)}"`);
      return;
    }
    for (const form of formsOf(secret)) this.#forms.add(form);
    if (!this.#percentEncoded.has(secret)) this.#percentEncoded.set(secret, undefined);
    if (secret !== secret.trim()) this.add(secret.trim());
    const lines = secret.split(/\r?\n|\\n/).map((line) => line.trim());
    for (const part of [...(lines.length > 1 ? lines : []), ...stringsOfDocument(secret)]) {
      if (part.length >= TELLING && part !== secret && !ARMOUR.test(part)) this.add(part);
    }
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
    for (const form of this.#forms) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) found.push([at, at + form.length]);
    }
    if (text.includes("%")) {
      for (const secret of this.#percentEncoded.keys()) {
        const forms = this.#percentEncodedForms(secret);
        forms.lastIndex = 0;
        for (let match = forms.exec(text); match !== null; match = forms.exec(text)) {
          found.push([match.index, forms.lastIndex]);
          forms.lastIndex = match.index + 1;
        }
      }
    }
    for (const form of this.#short) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
        const isKey = /^\s*:/.test(text.slice(at + form.length, at + form.length + 8));
        if (!isKey) found.push([at + 1, at + form.length - 1]);
      }
    }
    return found;
  }

  #percentEncodedForms(secret: string): RegExp {
    const known = this.#percentEncoded.get(secret);
    if (known) return known;
    const forms = percentEncodedForms(secret);
    this.#percentEncoded.set(secret, forms);
    return forms;
  }
}

/** Encoders differ in which characters they encode, so each may be plain or encoded, with digits in either case. */
function percentEncodedForms(secret: string): RegExp {
  const characters = [...secret].map((character) => {
    const encoded = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
    const anyCase = encoded.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const plain = character === " " ? "[ +]" : character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    return `(?:${anyCase}|${plain})`;
  });
  return new RegExp(characters.join(""), "g");
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const json = escapeJson(secret);
  return [
    secret,
    json,
    // JSON in JSON: a document that is sent or logged as a string.
    escapeJson(json),
    // As Go escapes it, and as programs that print only ASCII do.
    json.replace(/[<>&\u2028\u2029]/g, unicodeEscape),
    json.replace(/[^\x20-\x7e]/g, unicodeEscape),
    ...htmlFormsOf(secret),
    // In a form, if it has no other special character.
    secret.replaceAll(" ", "+"),
    bytes.toString("base64"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    ...base64Within(bytes),
  ];
}

/** In HTML and XML, by numbers and by names. Libraries differ in the names of quotes. */
function htmlFormsOf(secret: string): string[] {
  const escaped = (escape: (character: string) => string) => [
    secret.replace(/[&<>"']/g, escape),
    // Quotes need no escape outside of attributes.
    secret.replace(/[&<>]/g, escape),
  ];
  const named = DOUBLE_QUOTES.flatMap((double) =>
    SINGLE_QUOTES.map((single) => {
      const names: Record<string, string> = { ...HTML_NAMES, '"': double, "'": single };
      return secret.replace(/[&<>"']/g, (character) => names[character]!);
    }),
  );
  return [
    ...named,
    ...escaped((character) => `&#${character.charCodeAt(0)};`),
    ...escaped((character) => `&#x${character.charCodeAt(0).toString(16)};`),
  ];
}

const DOUBLE_QUOTES = ["&quot;", "&#34;", "&#x22;", '"'];
const SINGLE_QUOTES = ["&apos;", "&#39;", "&#x27;", "'"];
const HTML_NAMES = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** The part of the secret's base64 that does not depend on the bytes around it, as in `Basic` credentials. */
function base64Within(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const certain = text.slice(first, last);
    return certain.length >= 2 * SHORTEST ? [certain, certain.replaceAll("+", "-").replaceAll("/", "_")] : [];
  });
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
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
