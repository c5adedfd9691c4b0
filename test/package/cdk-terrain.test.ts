import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { Consumer, PEERS, Tarball, TSC, TSX } from "./consumer";
import { forCdktn } from "./for-cdktn";
import { typesOfAUser } from "./types-of-a-user";

/** The packed package in a project with CDK Terrain (cdktn), as in docs/cdk-terrain.md. */

const EXAMPLES = readdirSync("examples");
const PROGRAMS = readdirSync("examples", { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(ts|json)$/.test(path))
  .map((path) => join("examples", path));

let tarball: Tarball;
let terrain: Consumer;
let reference: Consumer;

beforeAll(() => {
  tarball = new Tarball();
  const [, packages] = /^npm install (.+)$/m.exec(readFileSync("docs/cdk-terrain.md", "utf8"))!;
  const peers = packages!.split(" ").filter((name) => name !== "cdktf-cluster-platform");
  terrain = new Consumer({ devDependencies: { "@types/jest": "^30", "@types/node": "^20" } }).install(tarball.path, ...peers);
  reference = new Consumer().install(tarball.path, ...PEERS);
  const texts = PROGRAMS.map((path) => [path, readFileSync(path, "utf8")] as const);
  reference.write(Object.fromEntries(texts));
  terrain.write(Object.fromEntries(texts.map(([path, text]) => [path, forCdktn(text)])));
});

afterAll(() => {
  for (const project of [terrain, reference]) project.remove();
  tarball.remove();
});

/** The synthesized files of an example, without the version that the CDK writes. */
async function synthesized(project: Consumer, example: string): Promise<Record<string, string>> {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-terrain-"));
  try {
    const run = await project.tool(TSX, [`examples/${example}/main.ts`], { CDKTF_OUTDIR: outdir });
    expect(run).toEqual({ status: 0, output: "" });
    const stacks = readdirSync(join(outdir, "stacks"));
    return Object.fromEntries(
      stacks.map((stack) => {
        const json = JSON.parse(readFileSync(join(outdir, "stacks", stack, "cdk.tf.json"), "utf8"));
        delete json["//"].metadata.version;
        // The path of the default backend begins with the project's folder.
        return [stack, JSON.stringify(json).replaceAll(project.folder, "")];
      }),
    );
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

test("the project has nothing of cdktf", () => {
  expect(terrain.version("cdktn")).toMatch(/^0\.24\./);
  expect(["cdktf", "@cdktf"].filter((name) => existsSync(join(terrain.folder, "node_modules", name)))).toEqual([]);
});

test.each(EXAMPLES)("examples/%s synthesizes to the same JSON as with cdktf, byte for byte", async (example) => {
  const expected = await synthesized(reference, example);
  expect(Object.keys(expected)).not.toEqual([]);
  expect(await synthesized(terrain, example)).toEqual(expected);
});

const strict = (options: object) =>
  JSON.stringify({ compilerOptions: { target: "es2022", strict: true, noEmit: true, ...options }, include: ["."] });

test("the examples compile", async () => {
  const options = { module: "commonjs", skipLibCheck: true, resolveJsonModule: true, types: ["jest", "node"] };
  terrain.write({ "examples/tsconfig.json": strict(options) });
  expect(await terrain.tool(TSC, ["-p", "examples"])).toEqual({ status: 0, output: "" });
});

test.each([
  ["node10", "ts", { module: "commonjs", moduleResolution: "node10", skipLibCheck: true }],
  ["node16 in CommonJS", "cts", { module: "node16", skipLibCheck: false }],
  ["node16 in an ES module", "mts", { module: "node16", skipLibCheck: false }],
])("types resolve under %s", async (name, extension, options) => {
  const folder = `types-${name.replaceAll(" ", "-")}`;
  terrain.write({
    [`${folder}/main.${extension}`]: forCdktn(typesOfAUser),
    [`${folder}/tsconfig.json`]: strict({ ...options, types: ["node"] }),
  });
  expect(await terrain.tool(TSC, ["-p", folder])).toEqual({ status: 0, output: "" });
});

test("an ES module can import every name, and those of the other entry point", async () => {
  terrain.write({
    "names.mjs": `
      import { createRequire } from "node:module";
      for (const entry of ["cdktf-cluster-platform/cdktn", "cdktf-cluster-platform/cdktn/testing"]) {
        const names = Object.keys(createRequire(import.meta.url)(entry));
        const imported = Object.keys(await import(entry));
        console.log(names.filter((name) => imported.includes(name)).sort().join());
      }
    `,
  });
  const names = (module: object) => Object.keys(module).sort().join();
  const [constructs, testing] = await Promise.all([import("../../src"), import("../../src/testing")]);
  expect(await terrain.node(["names.mjs"])).toEqual({ status: 0, output: `${names(constructs)}\n${names(testing)}\n` });
});

test("get --format typescript writes imports that the project has", async () => {
  const simulator = await startSimulator();
  const command = ["node_modules/.bin/cluster-platform", "get", "--format", "typescript"];
  try {
    const written = await Promise.all([terrain, reference].map((project) => project.node(command, accessTo(simulator))));
    expect(written[1]).toEqual({ status: 0, output: expect.stringContaining('from "cdktf";') });
    expect(written[0]).toEqual({ status: 0, output: forCdktn(written[1]!.output) });
  } finally {
    await simulator.close();
  }
});

test("the entry point of the other CDK says which one to import", async () => {
  const imported = (project: Consumer, entry: string) => project.write({ "other.mjs": `import "${entry}";` }).node(["other.mjs"]);
  const [cdktf, cdktn] = ["cdktf-cluster-platform", "cdktf-cluster-platform/cdktn"] as const;
  expect(await imported(terrain, cdktf)).toEqual({
    status: 1,
    output: expect.stringContaining(`"${cdktf}" needs cdktf, which is not installed\nImport from "${cdktn}"`),
  });
  expect(await imported(reference, cdktn)).toEqual({
    status: 1,
    output: expect.stringContaining(`"${cdktn}" needs cdktn, which is not installed\nImport from "${cdktf}"`),
  });
});

describe("in a project with both CDKs", () => {
  let both: Consumer;

  beforeAll(() => {
    both = new Consumer().install(tarball.path, "cdktf@^0.21", "cdktn@^0.24", "constructs@~10.6");
  });
  afterAll(() => both.remove());

  test("programs with either synthesize", async () => {
    const expected = await synthesized(reference, "all-types");
    for (const project of [reference, terrain]) {
      for (const path of PROGRAMS.filter((each) => each.startsWith("examples/all-types/")))
        both.write({ [path]: project.read(path) });
      expect(await synthesized(both, "all-types")).toEqual(expected);
    }
  });

  const quickstart = readFileSync("examples/quickstart/main.ts", "utf8");
  test.each([
    ["cdktf", quickstart.replace('"cdktf-cluster-platform"', '"cdktf-cluster-platform/cdktn"'), "cdktf-cluster-platform"],
    ["cdktn", quickstart.replace('"cdktf"', '"cdktn"'), "cdktf-cluster-platform/cdktn"],
  ])("a Platform in a stack of %s says which entry point to import", async (cdk, program, entry) => {
    const { status, output } = await both.write({ "main.ts": program }).tool(TSX, ["main.ts"]);
    expect(status).toBe(1);
    expect(output).toMatch(new RegExp(`quickstart/platform: the stack uses ${cdk} 0\\.\\d+\\.\\d+, but .* loads cdkt[fn] 0\\.`));
    expect(output).toContain(`\nImport from "${entry}"\n`);
    expect(output).toContain("code: 'CDKTF_MISMATCH'");
  });

  test("a cluster of one and a Platform of the other do not work together", async () => {
    const program = quickstart
      .replace(" Platform,", "")
      .replace("class Production", 'import { Platform } from "cdktf-cluster-platform/cdktn";\nclass Production')
      .replace('"cdktf"', '"cdktn"');
    const { status, output } = await both.write({ "main.ts": program }).tool(TSX, ["main.ts"]);
    expect(status).toBe(1);
    expect(output).toContain('Import from "cdktf-cluster-platform/cdktn"');
  });
});

test("two copies of one version of the CDK work together", async () => {
  const expected = await synthesized(terrain, "all-types");
  terrain.copy(join(terrain.folder, "node_modules/cdktn"), "node_modules/cdktf-cluster-platform/node_modules/cdktn");
  expect(await synthesized(terrain, "all-types")).toEqual(expected);
});

test("two versions of the CDK are refused", async () => {
  const copy = "node_modules/cdktf-cluster-platform/node_modules/cdktf";
  reference.copy(join(reference.folder, "node_modules/cdktf"), copy);
  const file = `${copy}/lib/terraform-stack.js`;
  reference.write({ [file]: reference.read(file).replace('fqn: "cdktf.TerraformStack", version: "', "$&9.") });
  const { status, output } = await reference.tool(TSX, ["examples/quickstart/main.ts"]);
  expect(status).toBe(1);
  expect(output).toMatch(/the stack uses cdktf 0\.21\.\d+, but cdktf-cluster-platform loads cdktf 9\.0\.21\.\d+/);
  expect(output).toContain("`npm ls cdktf`");
});
