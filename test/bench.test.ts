import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "./terraform/workspace";

test("the benchmark measures every row, here with tiny sizes whose figures mean nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
  try {
    const file = join(folder, "results.json");
    const args = ["--import", "tsx", "bench/main.ts", "--tiny", "--json", file];
    const { status, output } = await execute(process.execPath, args, process.cwd(), { TF_CLI_ARGS: "" }, {});
    expect({ status, output }).toEqual({ status: 0, output });
    const results = JSON.parse(readFileSync(file, "utf8")) as { name: string; ratio: number | null }[];
    expect(results).toHaveLength(12);
    // GNU time measures the memory, and not every machine has it.
    const unmeasured = results.filter(({ name, ratio }) => ratio === null && !name.startsWith("peak memory"));
    expect(unmeasured).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);
