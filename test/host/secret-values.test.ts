import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Redactor } from "../../src/util/redaction";
import { secretsIn } from "../../src/model/secret-reference";
import { SecretValues } from "../../src/host/secret-values";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "secrets-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const file = (content: string | Buffer, name = "secret") => {
  writeFileSync(join(folder, name), content);
  return { $secret: { file: join(folder, name) } };
};
const env = (name: string) => ({ $secret: { env: name } });

function resolved(body: Record<string, unknown>, environment: NodeJS.ProcessEnv = {}, redactor = new Redactor()): unknown {
  return SecretValues.resolve("stack/vsphere", secretsIn(body), environment, redactor).in(body);
}

function problem(reference: unknown, environment: NodeJS.ProcessEnv = {}): string {
  try {
    resolved({ field: reference }, environment);
  } catch (error) {
    expect(error).toMatchObject({ code: "MISSING_SECRET", name: "ConfigurationError" });
    return (error as Error).message;
  }
  throw new Error("it was resolved");
}

test("values of variables, files and tokens are inserted at any depth", () => {
  const body = { a: [{ b: env("NAME") }], c: file("from file\n"), d: { $secret: { value: "from token" } }, e: "as it is" };
  expect(resolved(body, { NAME: "from env\n" })).toEqual({
    a: [{ b: "from env\n" }],
    c: "from file",
    d: "from token",
    e: "as it is",
  });
});

test.each([
  ["without the line break at its end", "value\n", "value"],
  ["without a line break of Windows", "value\r\n", "value"],
  [
    "unchanged if it is a key of several lines",
    "-----BEGIN KEY-----\nabc\n-----END KEY-----\n",
    "-----BEGIN KEY-----\nabc\n-----END KEY-----\n",
  ],
  ["unchanged without a line break at its end", "one\ntwo", "one\ntwo"],
  ["without a byte order mark", "\ufeffvalue", "value"],
])("a file is read %s", (_, content, value) => {
  expect(resolved({ secret: file(content) })).toEqual({ secret: value });
});

test("the redactor gets every value that can be resolved, even if another cannot", () => {
  const redactor = new Redactor();
  const body = { missing: env("MISSING"), token: { $secret: { value: "value-of-token" } }, env: env("NAME") };
  expect(() => resolved(body, { NAME: "value-of-env" }, redactor)).toThrow();
  expect(redactor.redact("value-of-token value-of-env")).toBe("[hidden] [hidden]");
});

test("the error has all missing secrets, with their fields and reasons", () => {
  const body = { connectInfo: { user: env("USER_NAME"), passwd: env("EMPTY"), known: env("KNOWN") }, key: file("") };
  expect(() => resolved(body, { EMPTY: "", KNOWN: "known-value" })).toThrow(
    expect.objectContaining({
      message: [
        "stack/vsphere: 3 secrets cannot be resolved; nothing was sent to create the object:",
        "  connectInfo.user: the environment variable USER_NAME is not set",
        "  connectInfo.passwd: the environment variable EMPTY is empty",
        `  key: the file ${join(folder, "secret")} is empty`,
        "Provide them where Terraform runs and apply again",
      ].join("\n"),
    }),
  );
});

test.each([
  ["that is not there", () => ({ $secret: { file: join(folder, "nowhere") } }), "cannot be read (ENOENT)"],
  ["that is a folder", () => ({ $secret: { file: folder } }), "is a folder"],
  ["that never ends", () => ({ $secret: { file: "/dev/zero" } }), "is not a regular file"],
  ["with nothing but a line break", () => file("\n"), "is empty"],
  ["that is a disk image by mistake", () => file(Buffer.alloc(1024 * 1024 + 1, "x")), "is larger than 1 MiB"],
  ["that is not text", () => file(Buffer.from([0x70, 0xff, 0xfe])), "is not UTF-8 text"],
])("a file %s is refused", (_, reference, what) => {
  expect(problem(reference())).toContain(what);
});

test.each(["constructor", "toString", "__proto__"])(
  "a variable with the name of a part of every object is not set: %s",
  (name) => {
    expect(problem(env(name), process.env)).toContain(`field: the environment variable ${name} is not set`);
  },
);

test("the error has the absolute path of a relative one", () => {
  mkdirSync(join(folder, "sub"));
  const path = relative(process.cwd(), join(folder, "sub/nowhere"));
  expect(problem({ $secret: { file: path } })).toContain(`the file ${join(folder, "sub/nowhere")} cannot be read`);
});

test.each([
  ["", "is an empty string"],
  [null, "is null"],
  [7, "must be a string, got a number: give its variable the type string"],
  [["a"], "must be a string, got a object"],
])("a token with the value %j is refused", (value, what) => {
  const message = problem({ $secret: { value } });
  expect(message).toContain(`field: the token of Secret.fromToken ${what}`);
});
