import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../../src/constructs/engine";
import { built } from "../cli/built";
import { typescriptErrors } from "../docs/typescript-blocks";
import { accessTo } from "../support/service";
import { providerBackend, terraformBackends } from "../support/tools";
import { addEstate, filled } from "./estate";
import type { StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

const CLUSTERS = 50;

const errorsOf = (code: string) =>
  typescriptErrors([{ page: "docs/main.ts", line: 1, code, preamble: "", continues: false, language: "ts" }]);

/** Runs the program in a folder of the project, so that it finds the package. */
function synthesize({ workspace, engine }: StackFixture, program: string): void {
  mkdirSync(".cache", { recursive: true });
  const folder = mkdtempSync(join(".cache", "program-"));
  const main = join(folder, "main.ts");
  writeFileSync(
    main,
    program
      .replace("import { App,", "import { App, LocalBackend,")
      .replace(
        "super(scope, id);",
        `super(scope, id);\nnew LocalBackend(this, { path: ${JSON.stringify(workspace.stateFile)} });`,
      )
      .replace('(app, "clusters")', '(app, "test")')
      .replace("Engine.TERRAFORM_DATA", `Engine.${engine.toUpperCase()}`),
  );
  const env = { ...process.env, CDKTF_OUTDIR: join(workspace.folder, "cdktf.out") };
  const { status, stderr } = spawnSync(process.execPath, ["--import", "tsx", main], { env, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}

testOn(inRest([...terraformBackends, providerBackend]), { acceptUnknownFields: true })(
  "get --format typescript brings 50 clusters of all types into a stack without a write, once each TODO has its value",
  async (fixture) => {
    const known = addEstate(fixture.simulator, CLUSTERS);
    const imports = fixture.engine === Engine.PROVIDER ? ["--import"] : [];
    const { stdout, stderr } = await built(["get", "--format", "typescript", ...imports], accessTo(fixture.simulator));
    expect(stderr).toBe("");
    const todos = stdout.match(/: TODO,/g)!;
    expect(errorsOf(stdout)).toEqual(todos.map(() => expect.stringContaining("Cannot find name 'TODO'.") as string));

    const program = filled(stdout, known);
    expect(errorsOf(program)).toEqual([]);
    synthesize(fixture, program);
    await fixture.converges();
    expect(fixture.writes()).toEqual([]);
    expect(fixture.workspace.state()).toContain(known.at(-1)!.name);
  },
);
