import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpenssl) console.error("NOT RUN: everything that needs a certificate, because openssl is not on the PATH");

/** A `describe` that is skipped without openssl, which makes the certificates. */
export const describeWithTls = hasOpenssl ? describe : describe.skip;

export interface Authority {
  readonly file: string;
  readonly pem: string;
  /** Makes a server's key and certificate. Names are like `DNS:platform.test`. */
  issue(...names: string[]): { key: string; cert: string };
  remove(): void;
}

export function certificateAuthority(name = "Test Authority"): Authority {
  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  const at = (file: string) => join(folder, file);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const ca = ["-addext", "basicConstraints=critical,CA:TRUE"];
  openssl("req", "-x509", ...newKey, "-days", "2", "-subj", `/CN=${name}`, ...ca, "-keyout", at("ca.key"), "-out", at("ca.pem"));
  return {
    file: at("ca.pem"),
    pem: readFileSync(at("ca.pem"), "utf8"),
    issue(...names) {
      writeFileSync(at("names"), `subjectAltName=${names.join(",")}`);
      openssl("req", ...newKey, "-subj", "/CN=server", "-keyout", at("key"), "-out", at("request"));
      const signing = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2", "-extfile", at("names")];
      openssl("x509", "-req", "-in", at("request"), ...signing, "-out", at("cert"));
      return { key: readFileSync(at("key"), "utf8"), cert: readFileSync(at("cert"), "utf8") };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
