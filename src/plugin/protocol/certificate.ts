import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Certificate {
  readonly der: Buffer;
  readonly pem: string;
  readonly keyPem: string;
}

const VALID_MS = 365 * 24 * 3600 * 1000;
/** The certificate is valid from an hour ago, because clocks may be set back while the process runs. */
const BEFORE_MS = 3600 * 1000;

/** Object identifiers in DER, the binary encoding of certificates. */
const ECDSA_WITH_SHA256 = oid("2a8648ce3d040302");
const COMMON_NAME = oid("550403");
const BASIC_CONSTRAINTS = oid("551d13");
const KEY_USAGE = oid("551d0f");
const EXTENDED_KEY_USAGE = oid("551d25");
const SUBJECT_ALTERNATIVE_NAME = oid("551d11");
const SERVER_AUTHENTICATION = oid("2b06010505070301");

const TRUE = der(0x01, Buffer.from([0xff]));

/**
 * Makes a self-signed certificate for `localhost`, as go-plugin's AutoMTLS asks of a plugin. Node has no function for it, and a
 * library would take longer to load than the whole plugin, so this code encodes it by hand.
 * @see RFC 5280, section 4.1
 */
export function selfSignedCertificate(now = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const host = Buffer.from("localhost");
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, host))));
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const extensions = sequence(
    // A certificate authority, because each side trusts the other's certificate as its own issuer.
    sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE))),
    // digitalSignature and keyCertSign
    sequence(KEY_USAGE, TRUE, octets(der(0x03, Buffer.from([0x02, 0x84])))),
    sequence(EXTENDED_KEY_USAGE, octets(sequence(SERVER_AUTHENTICATION))),
    sequence(SUBJECT_ALTERNATIVE_NAME, octets(sequence(der(0x82, host)))),
  );
  const unsigned = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    algorithm,
    name,
    sequence(time(now - BEFORE_MS), time(now + VALID_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", unsigned, privateKey));
  const certificate = sequence(unsigned, algorithm, signature);
  return {
    der: certificate,
    pem: [
      "-----BEGIN CERTIFICATE-----",
      ...certificate.toString("base64").match(/.{1,64}/g)!,
      "-----END CERTIFICATE-----",
      "",
    ].join("\n"),
    keyPem: privateKey.export({ type: "sec1", format: "pem" }) as string,
  };
}

/** The contents must be shorter than 65,536 bytes. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const prefix = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(prefix), content]);
}

function sequence(...contents: Buffer[]): Buffer {
  return der(0x30, ...contents);
}

function octets(content: Buffer): Buffer {
  return der(0x04, content);
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

/** Positive and without leading zeros, as RFC 5280 demands. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

/** RFC 5280 demands two digits for years before 2050, and four digits after. */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\.\d+|[-:T]/g, "");
  return digits < "2050" ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}
