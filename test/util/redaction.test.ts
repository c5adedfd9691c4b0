import fc from "fast-check";
import { logBody } from "../../src/api/http/log-body";
import { readings } from "../../src/util/decoding";
import { Redactor } from "../../src/util/redaction";

const redactorOf = (...secrets: string[]) => {
  const redactor = new Redactor();
  secrets.forEach((secret) => redactor.add(secret));
  return redactor;
};

const bytesInHex = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, "0"));

const percentEncoded = (text: string, characters: RegExp) =>
  text.replace(characters, (character) =>
    bytesInHex(character)
      .map((byte) => `%${byte}`)
      .join(""),
  );

const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACBhbGljZWJvYmNhcm9sZGF2ZWV2ZWZyYW5rZ3JhY2VoZWlkaWl2YW5qdWR5
AAAA
-----END OPENSSH PRIVATE KEY-----
`;

describe("a secret is hidden", () => {
  test.each([
    ["as it is", (secret: string) => `password ${secret} is wrong`],
    ["in JSON", (secret: string) => JSON.stringify({ passwd: secret })],
    ["in JSON in JSON", (secret: string) => JSON.stringify(JSON.stringify({ passwd: secret }))],
    [
      "in JSON as Go writes it",
      (secret: string) => JSON.stringify(secret).replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    [
      "in JSON at any depth",
      (secret: string) => Array.from({ length: 5 }).reduce<string>((inner) => JSON.stringify(inner), secret),
    ],
    ["in hexadecimal", (secret: string) => bytesInHex(secret).join("")],
    ["in capital hexadecimal with colons", (secret: string) => bytesInHex(secret).join(":").toUpperCase()],
    ["in a URL", (secret: string) => `https://h/?p=${encodeURIComponent(secret)}&q=1`],
    ["in a URL of small letters", (secret: string) => encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase())],
    ["in a URL with every byte encoded", (secret: string) => percentEncoded(secret, /[^]/gu)],
    ["in a URL as programs write it that encode all but letters", (secret: string) => percentEncoded(secret, /[^a-z]/giu)],
    ["in a path of a URL", (secret: string) => percentEncoded(secret, /[^a-z&=+$:@!'()*;,]/giu)],
    ["in a form", (secret: string) => new URLSearchParams({ p: secret }).toString()],
    ["in HTML", (secret: string) => secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")],
    ["in XML, by numbers", (secret: string) => secret.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)],
    ["in base64", (secret: string) => Buffer.from(secret).toString("base64")],
    ["in base64 of URLs", (secret: string) => Buffer.from(secret).toString("base64url")],
    ["in basic credentials", (secret: string) => `Basic ${Buffer.from(`me:${secret}`).toString("base64")}`],
    ["in basic credentials of another length", (secret: string) => Buffer.from(`user:${secret}:x`).toString("base64")],
  ])("%s", (_, form) => {
    const secret = 'p"a&ss (w)<w>ö\\rd';
    const text = form(secret);
    const redacted = redactorOf(secret).redact(text);
    expect(redacted).toContain("[hidden]");
    // Only the form's own characters are left, and a character that base64 shares with its neighbour.
    expect(redacted.replace("[hidden]", "").length).toBeLessThanOrEqual(form("").length + 2);
  });

  test.each([
    ["Go", { '"': "&#34;", "'": "&#39;" }],
    ["Python", { '"': "&quot;", "'": "&#x27;" }],
    ["lodash", { '"': "&quot;", "'": "&#39;" }],
    ["XML", { '"': "&quot;", "'": "&apos;" }],
    ["text of HTML", { '"': '"', "'": "'" }],
  ])("as %s escapes it", (_, quotes) => {
    const secret = `it's <"a"> & b`;
    const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", ...quotes };
    const text = secret.replace(/[&<>"']/g, (character) => names[character]!);
    expect(redactorOf(secret).redact(`<p>${text}</p>`)).toBe("<p>[hidden]</p>");
  });

  test.each(["\\u003d", "\\u003D", "\\\\u003d", "\\\\\\\\u003D"])("as JSON that has %s for an equals sign", (equals) => {
    expect(redactorOf("abc=/def").redact(`{"a":"abc${equals}\\/def"}`)).toBe('{"a":"[hidden]"}');
    expect(redactorOf("abc=/def").redact(`{"a":"abc${equals}\\\\\\/def"}`)).toBe('{"a":"[hidden]"}');
  });

  test.each(["\n", "\r\n"])("in base64 with line breaks %j, also in JSON and in JSON in JSON", (lineBreak) => {
    const secret = "s3cr~t?>".repeat(20);
    for (const columns of [64, 76]) {
      const lines = Buffer.from(secret)
        .toString("base64")
        .replace(new RegExp(`.{${columns}}(?=.)`, "g"), `$&${lineBreak}`);
      expect(redactorOf(secret).redact(`<${lines}>`)).toMatch(/^<\[hidden\]=*>$/);
      expect(redactorOf(secret).redact(JSON.stringify([lines]))).toMatch(/^\["\[hidden\]=*"\]$/);
      expect(redactorOf(secret).redact(JSON.stringify(JSON.stringify([lines])))).toMatch(/^"\[\\"\[hidden\]=*\\"\]"$/);
    }
  });

  test.each(["p=?q 20%2F8", "100%20%2F8"])("after text that looks like part of its encoding: %s", (text) => {
    expect(redactorOf("20/8").redact(text)).toMatch(/^[^/]+\[hidden\]$/);
  });

  test("as JSON with ASCII only", () => {
    expect(redactorOf("pässwörd").redact('{"a":"p\\u00e4ssw\\u00f6rd"}')).toBe('{"a":"[hidden]"}');
  });

  test.each(["pw12", "~~~?"])("in base64 of every kind, even if it is short: %s", (secret) => {
    const base64 = Buffer.from(secret).toString("base64");
    for (const form of [base64, base64.replace(/=+$/, ""), Buffer.from(secret).toString("base64url")]) {
      expect(redactorOf(secret).redact(`<${form}>`)).toMatch(/^<\[hidden\]=*>$/);
    }
  });

  test("in base64 in JSON, with the escape of its first digit", () => {
    const base64 = Buffer.from("xo" + "été-secret").toString("base64");
    expect(base64).toMatch(/^..\//);
    expect(redactorOf("été-secret").redact(`"${base64.replaceAll("/", "\\/")}"`)).toMatch(/^"..\[hidden\]=*"$/);
  });

  test.each(["", "a", "ab", "abc", "abcd"])("in base64 between other bytes, after %j", (before) => {
    const secret = "s3cr~t?>s3cr~t?>";
    for (const encoding of ["base64", "base64url"] as const) {
      const redacted = redactorOf(secret).redact(Buffer.from(`${before}${secret}!!`).toString(encoding));
      expect(redacted).toContain("[hidden]");
      // Only the encoded neighbours are left, and a shared character at either end.
      expect(redacted.replace("[hidden]", "").length).toBeLessThanOrEqual(Math.ceil((before.length * 4) / 3) + 6);
    }
  });

  test("line by line, without the armour of a private key", () => {
    const redactor = redactorOf(privateKey);
    const [, first, second] = privateKey.split("\n") as [string, string, string];
    expect(redactor.redact(`line 2: ${first}`)).toBe("line 2: [hidden]");
    expect(redactor.redact(`  ${second}\r\n`)).toBe("  [hidden]\r\n");
    expect(redactor.redact("expected -----BEGIN OPENSSH PRIVATE KEY-----, got AAAA")).toBe(
      "expected -----BEGIN OPENSSH PRIVATE KEY-----, got AAAA",
    );
    expect(redactor.redact(JSON.stringify({ privateKey }))).toBe('{"privateKey":"[hidden]"}');
  });

  test("value by value, if it is a JSON document", () => {
    const document = JSON.stringify({ id: "aje", private_key: privateKey, created: 1 });
    const redactor = redactorOf(document);
    expect(redactor.redact(privateKey)).toBe("[hidden]");
    expect(redactor.redact(privateKey.split("\n")[1]!)).toBe("[hidden]");
    expect(redactor.redact(JSON.stringify({ key: document }))).toBe('{"key":"[hidden]"}');
    expect(redactor.redact("aje")).toBe("aje");
  });

  test("even if it overlaps another one, and nothing of either is left", () => {
    expect(redactorOf("abcdef", "defghi").redact("1abcdefghi2")).toBe("1[hidden]2");
    expect(redactorOf("abcd", "abcdefgh").redact("abcdefgh abcdef")).toBe("[hidden] [hidden]ef");
    expect(redactorOf("abab").redact("ababab")).toBe("[hidden]");
    expect(redactorOf("aaaa").redact("1aaaaa2")).toBe("1[hidden]2");
    expect(redactorOf("abcd").redact("abcdabcd")).toBe("[hidden]");
  });

  test("without surrounding white space", () => {
    expect(redactorOf("hunter2\n").redact("got hunter2.")).toBe("got [hidden].");
  });

  test("of fewer than four characters only as a whole JSON string, so that words stay whole", () => {
    const redactor = redactorOf("a", "");
    expect(redactor.redact("a cat")).toBe("a cat");
    expect(redactor.redact('{"a":"a","b":["a"],"c":"cat"}')).toBe('{"a":"[hidden]","b":["[hidden]"],"c":"cat"}');
    expect(redactorOf("<a").redact('{"a":"\\u003ca","b":"<ab"}')).toBe('{"a":"[hidden]","b":"<ab"}');
    expect(redactorOf("    ").redact("1    2")).toBe("1    2");
  });
});

test("no secret is left in any form, for any secrets (property)", () => {
  // Without the mark itself and text that could become part of it.
  const secret = fc
    .string({
      minLength: 4,
      maxLength: 40,
      unit: fc.oneof(fc.constantFrom(...'aB1"\\/&<>+= \n%é€\u{1f511}'), fc.string({ minLength: 1, maxLength: 1 })),
    })
    .filter((text) => text.trim().length >= 4 && !/[[\]]/.test(text) && !"[hidden]".includes(text.trim()));
  const forms: ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text),
    (text) => JSON.stringify(JSON.stringify({ text })),
    encodeURIComponent,
    (text) => new URLSearchParams({ text }).toString(),
    (text) => Buffer.from(text).toString("base64"),
    (text) => Buffer.from(text).toString("base64url"),
  ];
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...forms), fc.string({ maxLength: 5 })), { maxLength: 8 }),
      (secrets, parts) => {
        const text = parts.map(([pick, form, between]) => form(secrets[pick % secrets.length]!) + between).join("");
        const redacted = redactorOf(...secrets).redact(text);
        for (const hidden of secrets) for (const form of forms) expect(redacted.includes(form(hidden))).toBe(false);
        expect(redactorOf(...secrets).redact(redacted)).toBe(redacted);
      },
    ),
    { numRuns: 500 },
  );
});

/** A text in three parts, so that it is known where the secret is in an encoded text. */
type Placed = readonly [before: string, secret: string, after: string];
type Encoder = (placed: Placed) => Placed;

/** An encoder that encodes each character by itself. */
const characterwise =
  (encode: (text: string) => string): Encoder =>
  ([before, secret, after]) => [encode(before), encode(secret), encode(after)];

const json = (escape: (text: string) => string): Encoder => {
  const content = characterwise((text) => escape(JSON.stringify(text).slice(1, -1)));
  return (placed) => {
    const [before, secret, after] = content(placed);
    return [`{"k":"${before}`, secret, `${after}"}`];
  };
};

const unicodeEscaped = (characters: RegExp, upper: boolean) => (text: string) =>
  text.replace(characters, (character) => {
    const digits = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${upper ? digits.toUpperCase() : digits}`;
  });

const entities = (encode: (character: string) => string) => characterwise((text) => text.replace(/[&<>"'+=]/g, encode));

const base64 =
  (columns = Infinity, lineBreak = "\n", encoding: "base64" | "base64url" = "base64"): Encoder =>
  ([before, secret, after]) => {
    const digits = Buffer.from(before + secret + after).toString(encoding);
    const from = Math.floor((Buffer.byteLength(before) * 4) / 3);
    const to = Math.ceil((Buffer.byteLength(before + secret) * 4) / 3);
    const lines = (start: number, end: number) =>
      [...digits.slice(start, end)].map((digit, index) => ((start + index + 1) % columns ? digit : digit + lineBreak)).join("");
    const [, within, lineEnd] = /^([^]*?)(\s*)$/.exec(lines(from, to))!;
    return [lines(0, from), within!, lineEnd + lines(to, digits.length)];
  };

const hex =
  (separator = "", upper = false): Encoder =>
  ([before, secret, after]) => {
    const encode = (text: string) => {
      const digits = bytesInHex(text).join(separator);
      return upper ? digits.toUpperCase() : digits;
    };
    return [before && encode(before) + separator, encode(secret), after && separator + encode(after)];
  };

const ENCODERS: Record<string, Encoder> = {
  JSON: json((text) => text),
  "JSON with escaped slashes": json((text) => text.replaceAll("/", "\\/")),
  "JSON of Go": json(unicodeEscaped(/[<>&\u2028\u2029]/g, false)),
  "JSON of Gson": json(unicodeEscaped(/[<>&='\u2028\u2029]/g, false)),
  "JSON of .NET": json((text) =>
    unicodeEscaped(/[<>&+'`\x7f-\uffff]/g, true)(text.replace(/\\[^]/g, (escape) => (escape === '\\"' ? "\\u0022" : escape))),
  ),
  "JSON with ASCII only": json(unicodeEscaped(/[^\x20-\x7e]/g, false)),
  "names of XML": entities(
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" })[character] ?? character,
  ),
  "numbers of XML": entities((character) => `&#${character.charCodeAt(0)};`),
  "hexadecimal numbers of XML": entities((character) => `&#x${character.charCodeAt(0).toString(16)};`),
  URL: characterwise(encodeURIComponent),
  "URL, small digits": characterwise((text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase())),
  "URL, every byte": characterwise((text) => percentEncoded(text, /[^]/gu)),
  form: characterwise((text) => new URLSearchParams({ "": text }).toString().slice(1)),
  base64: base64(),
  base64url: base64(Infinity, "", "base64url"),
  MIME: base64(76, "\r\n"),
  PEM: base64(64, "\n"),
  hex: hex(),
  "hex, capital": hex("", true),
  "hex with colons": hex(":", true),
  "hex with spaces": hex(" "),
  "hex in C": hex(", 0x"),
  "hex in strings": characterwise((text) =>
    bytesInHex(text)
      .map((byte) => `\\x${byte}`)
      .join(""),
  ),
};

test("no part of a secret is left, however up to three encoders encode it (property)", () => {
  const character = fc.oneof(
    fc.constantFrom(..."aB1\"\\/&<>+='% \n\té€\u{1f511}"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  const text = fc.string({ unit: character, maxLength: 80 });
  const secret = fc.string({ unit: character, minLength: 4, maxLength: 80 }).filter((value) => value.trim().length >= 4);
  fc.assert(
    fc.property(
      fc.tuple(text, secret, text),
      fc.array(fc.constantFrom(...Object.keys(ENCODERS)), { maxLength: 3 }),
      // Text that ends in the beginning of an escape, such as `%`, would itself have been encoded.
      fc.string().filter((left) => !/[\\%&][^\s;]*$/.test(left)),
      fc.string(),
      (placed, encoders, left, right) => {
        const [before, encoded, after] = encoders.reduce<Placed>((inner, name) => ENCODERS[name]!(inner), placed);
        const redacted = redactorOf(placed[1]).redact(left + before + encoded + after + right);
        const first = redacted.indexOf("[hidden]");
        const last = redacted.lastIndexOf("[hidden]") + "[hidden]".length;
        expect(first).not.toBe(-1);
        expect(first).toBeLessThanOrEqual((left + before).length);
        expect(redacted.length - last).toBeLessThanOrEqual((after + right).length);
      },
    ),
    {
      numRuns: 2_000,
      examples: [
        [["\0&", "\u{10000}&\0a\0a", ""], ["hexadecimal numbers of XML", "base64", "JSON with escaped slashes"], "", ""],
      ],
    },
  );
});

test("text without a secret is not changed (property)", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(redactorOf("never-in-there-s3cret").redact(text)).toBe(text);
    }),
  );
});

test.each(["%25", "&amp;", "\\u005c"])("a text that can be decoded again and again takes limited work: %s", (part) => {
  const length = 20_000;
  const text = part[0] + part.slice(1).repeat(length / part.length);
  const work = readings(text, 5).reduce((sum, { bytes }) => sum + bytes.length, 0);
  expect(work).toBeLessThan(100 * length);
});

describe("a body in the log", () => {
  const log = (body: unknown, ...secrets: string[]) => logBody(body, redactorOf(...secrets));

  test.each([
    "passwd",
    "password",
    "appSecret",
    "privateKey",
    "private_key",
    "refreshToken",
    "access_token",
    "secret",
    "token",
    "user",
    "userName",
    "credentials",
    "kubeconfig",
    "key",
    "Authorization",
    "ingressKey",
    "cakey",
  ])("has the value of %p hidden, whether or not it is a known secret", (key) => {
    expect(log({ connectInfo: { [key]: "hunter2" } })).toBe(`{"connectInfo":{"${key}":"[hidden]"}}`);
    expect(log([{ [key]: { nested: "hunter2" } }])).not.toContain("hunter2");
  });

  test("shows empty secrets, and fields that only sound like secrets", () => {
    const body = {
      passwd: "",
      template: [{ key: "ubuntu", value: "v1.28.3" }],
      matchExpressions: [{ key: "rack", operator: "Exists" }],
      sshKeyName: "ops",
      authMode: "basic",
      kubernetesVersion: "v1.28.3",
      folderId: "f",
    };
    expect(log(body)).toBe(JSON.stringify(body));
  });

  test("hides a value after a secret's name, even with another value or an operator beside it", () => {
    expect(log({ passwd: "hunter2", value: "x", operator: "y" })).toBe('{"passwd":"[hidden]","value":"x","operator":"y"}');
  });

  test("has a known secret hidden in a name", () => {
    expect(log({ hunter2: 1 }, "hunter2")).toBe('{"[hidden]":1}');
  });

  test("has known secrets hidden everywhere, even if a text is cut", () => {
    const secret = "hunter2".repeat(10);
    const text = log({ note: `${"x".repeat(280)}${secret}` }, secret);
    expect(text).not.toContain("hunter2");
    expect(text).toContain("[hidden]");
  });

  test("is short for a list of any length", () => {
    const body = { items: Array.from({ length: 10_000 }, (_, index) => ({ clusterName: `c${index}` })), count: 10_000 };
    expect(log(body)).toBe(
      '{"items":[{"clusterName":"c0"},{"clusterName":"c1"},{"clusterName":"c2"},"… and 9997 more"],"count":10000}',
    );
    expect(log({ text: "x".repeat(1_000) }).length).toBeLessThan(320);
  });

  test.each([
    [null, "null"],
    [undefined, "none"],
    ["text", '"text"'],
    [[], "[]"],
  ])("may be %p", (body, expected) => {
    expect(log(body)).toBe(expected);
  });
});
