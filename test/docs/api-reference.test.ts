import { spawnSync } from "node:child_process";

test("the reference is built from the docstrings without a warning", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["node_modules/typedoc/bin/typedoc", "--emit", "none"], {
    encoding: "utf8",
  });
  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: "" });
});
