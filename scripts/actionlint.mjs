import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

const MODULE = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/**
 * The linter of GitHub's workflows, built once from the Go module proxy.
 *
 * @returns {{ program: string } | { lack: string }}
 */
export function actionlint(cache = resolve(".cache/actionlint")) {
  const program = join(cache, process.platform === "win32" ? "actionlint.exe" : "actionlint");
  if (existsSync(program)) return { program };
  if (spawnSync("go", ["version"]).status !== 0) return { lack: "it is built with Go, which is not on the PATH" };
  mkdirSync(cache, { recursive: true });
  const env = { ...process.env, GOBIN: cache, GOFLAGS: "-mod=mod -buildvcs=false" };
  const { status, stderr } = spawnSync("go", ["install", MODULE], { env, encoding: "utf8", timeout: 300_000 });
  return status === 0 ? { program } : { lack: `go install ${MODULE} failed: ${stderr}` };
}
