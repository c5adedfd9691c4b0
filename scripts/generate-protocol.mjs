import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Run it after a change of the .proto files of Terraform's plugin protocol, which is rare. The result is committed. */
const PROTO = "src/plugin/protocol/proto";
const GENERATED = "src/plugin/protocol/generated";

const PACKAGES = ["@bufbuild/buf@1.75.0", "ts-proto@2.18.0"];
const OPTIONS = [
  "outputJsonMethods=false",
  "outputPartialMethods=false",
  "outputServices=generic-definitions",
  "oneof=unions-value",
  "forceLong=number",
  "env=browser",
  "esModuleInterop=true",
  "useOptionals=all",
];

function notice(proto) {
  const [first, second] = readFileSync(`${PROTO}/${proto}`, "utf8").split("\n");
  return first.startsWith("// Copyright") ? `${first}\n${second}\n\n` : "";
}

rmSync(GENERATED, { recursive: true, force: true });
const template = { version: "v2", plugins: [{ local: "protoc-gen-ts_proto", out: GENERATED, opt: OPTIONS }] };
const buf = ["buf", "generate", PROTO, "--template", JSON.stringify(template)];
execFileSync("npx", ["--yes", ...PACKAGES.flatMap((name) => ["--package", name]), "--", ...buf], { stdio: "inherit" });
for (const proto of readdirSync(PROTO)) {
  const file = `${GENERATED}/${proto.replace(/\.proto$/, ".ts")}`;
  writeFileSync(file, notice(proto) + readFileSync(file, "utf8"));
}
