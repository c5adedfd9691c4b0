import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../../src/constructs/engine";
import { TYPE_CODES, type TypeCode } from "../../src/model/provider-type";
import { built } from "../cli/built";
import { typescriptErrors } from "../docs/typescript-blocks";
import { accessTo } from "../support/service";
import { providerBackend, terraformBackends } from "../support/tools";
import { addEstate, edited } from "./estate";
import type { StackFixture } from "./stack-fixture";
import { inRest, testOn } from "./test-on-backends";

const SECRETS = { VS_MAIN_USERNAME: "svc", VS_MAIN_PASSWORD: "pa55", YC_MAIN_SERVICE_ACCOUNT_KEY: "k3y" };

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

/** Writes the program, edits its constants, applies it twice and compares the state. @returns the number of edits */
async function takeOver(fixture: StackFixture, count: number, types: readonly TypeCode[], ...more: string[]): Promise<number> {
  const { simulator, workspace } = fixture;
  const known = addEstate(simulator, count, types);
  const imports = fixture.engine === Engine.PROVIDER ? ["--import"] : [];
  const written = await built(["get", "--format", "typescript", ...imports, ...more], accessTo(simulator));
  expect(written.stderr).toBe("");
  expect(errorsOf(written.stdout)).toContainEqual(expect.stringContaining("Cannot find name 'TODO'."));

  const { program, edits } = edited(written.stdout, known);
  expect(written.stdout).toContain(`// ${edits} edits left: `);
  expect(errorsOf(program)).toEqual([]);
  synthesize(fixture, program);
  await fixture.converges();
  expect(fixture.writes()).toEqual([]);

  const { output } = await workspace.run(["show", "-json"], { quiet: true });
  const drift = await built(["drift", "-"], accessTo(simulator), output);
  expect(drift).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`No drift in what the service shows: ${count + (more.length && types.length)}`) as string,
  });
  for (const secret of Object.values(SECRETS)) expect(written.stdout + output).not.toContain(secret);
  return edits;
}

testOn(inRest([...terraformBackends, providerBackend]))(
  "five live clusters of two types become a stack with at most 10 edits, an empty plan, no write and no drift",
  async (fixture) => expect(await takeOver(fixture, 5, ["capvs", "capyc"])).toBeLessThanOrEqual(10),
);

testOn(inRest([...terraformBackends, providerBackend]), { env: SECRETS })(
  "get --format typescript --providers brings providers into the stack, too",
  async (fixture) => expect(await takeOver(fixture, 5, ["capvs", "capyc"], "--providers")).toBeLessThanOrEqual(10),
);

testOn(inRest([...terraformBackends, providerBackend]))(
  "get --format typescript brings 50 clusters of all types into a stack",
  async (fixture) => expect(await takeOver(fixture, 50, TYPE_CODES)).toBeLessThanOrEqual(2 + 4 * TYPE_CODES.length),
);
