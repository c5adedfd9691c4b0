import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "./terraform/workspace";

const hasGo = spawnSync("go", ["version"]).status === 0;

test("the benchmark measures every row, here with tiny sizes whose figures mean nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
  try {
    const file = join(folder, "results.json");
    const args = ["--import", "tsx", "bench/main.ts", "--tiny", "--json", file];
    const { status, output } = await execute(process.execPath, args, process.cwd(), { TF_CLI_ARGS: "" }, {});
    if (status !== 0) throw new Error(output.slice(-6_000));
    const results = JSON.parse(readFileSync(file, "utf8")) as { name: string; ratio: number | null }[];
    expect(results).toHaveLength(19);
    // GNU time measures the memory, and the yardstick of the provider is built with Go. Not every machine has them.
    const needed = results.filter(({ name }) => !name.startsWith("peak memory") && (hasGo || !name.includes("in Go")));
    const unmeasured = needed.filter(({ ratio }) => ratio === null);
    expect(unmeasured).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
