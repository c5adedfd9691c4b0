import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Consumer, Tarball, TSC, TSX } from "./consumer";

/** CDK Terrain (cdktn) continues cdktf. A project installs it under the name of cdktf. See docs/cdk-terrain.md. */

const EXAMPLES = readdirSync("examples");
const VERSION = "^0.24.0";

let tarball: Tarball;
let terrain: Consumer;
const made: Consumer[] = [];

const consumer = (manifest: object) => {
  const project = new Consumer(manifest);
  made.push(project);
  return project;
};
const dependencies = () => ({ constructs: "~10.6.0", "cdktf-cluster-platform": `file:${tarball.path}` });

beforeAll(() => {
  tarball = new Tarball();
  terrain = consumer({
    dependencies: { cdktf: `npm:cdktn@${VERSION}`, ...dependencies() },
    devDependencies: { "@types/jest": "^30", "@types/node": "^20" },
    overrides: { cdktf: "$cdktf" },
  })
    .copy("examples", "examples")
    .install();
});

afterAll(() => {
  for (const project of made) project.remove();
  tarball.remove();
});

/** The synthesized files of an example, without the version that cdktf writes. */
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

test("the project has only one cdktf, which is CDK Terrain", () => {
  expect(JSON.parse(terrain.read("node_modules/cdktf/package.json"))).toMatchObject({ name: "cdktn" });
  const copies = readdirSync(join(terrain.folder, "node_modules"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /(^|\/)node_modules\/(cdktf|cdktn)$|^cdkt[fn]$/.test(path),
  );
  expect(copies).toEqual(["cdktf"]);
});

describe("with CDK Terrain under the name of cdktf", () => {
  let reference: Consumer;

  beforeAll(() => {
    reference = consumer({ dependencies: { cdktf: "^0.21.0", ...dependencies() } })
      .copy("examples", "examples")
      .install();
  });

  test.each(EXAMPLES)("examples/%s synthesizes to the same JSON, byte for byte", async (example) => {
    const expected = await synthesized(reference, example);
    expect(Object.keys(expected)).not.toEqual([]);
    expect(await synthesized(terrain, example)).toEqual(expected);
  });

  test("two copies of cdktf of one version work together", async () => {
    const expected = await synthesized(reference, "all-types");
    reference.copy(join(reference.folder, "node_modules/cdktf"), "node_modules/cdktf-cluster-platform/node_modules/cdktf");
    expect(await synthesized(reference, "all-types")).toEqual(expected);
  });
});

test("the examples compile against it", async () => {
  terrain.write({
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        module: "commonjs",
        target: "es2022",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        resolveJsonModule: true,
        types: ["jest", "node"],
      },
      include: ["examples"],
    }),
  });
  expect(await terrain.tool(TSC, ["-p", "."])).toEqual({ status: 0, output: "" });
});

test("a project with cdktn under its own name only is told to alias cdktf, and that is enough", async () => {
  const quickstart = readFileSync("examples/quickstart/main.ts", "utf8").replace('from "cdktf"', 'from "cdktn"');
  const both = { cdktn: VERSION, ...dependencies() };
  const project = consumer({ dependencies: both }).write({ "examples/quickstart/main.ts": quickstart }).install();

  const { status, output } = await project.tool(TSX, ["examples/quickstart/main.ts"]);
  expect(status).toBe(1);
  expect(output).toMatch(
    /quickstart\/platform: the stack uses cdktn 0\.24\.\d+, but cdktf-cluster-platform loads cdktf 0\.21\.\d+/,
  );
  expect(output).toContain('"cdktf": "npm:cdktn@…"');

  project.write({
    "package.json": JSON.stringify({
      private: true,
      dependencies: { ...both, cdktf: `npm:cdktn@${VERSION}` },
      overrides: { cdktf: "$cdktf" },
    }),
  });
  project.install();
  expect(await synthesized(project, "quickstart")).toEqual(await synthesized(terrain, "quickstart"));
});
