import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import ts from "typescript";
import { prose } from "../docs/pages";
import { Consumer, PEERS, sizeOf, Tarball, TS_NODE, TSC, TSX } from "./consumer";
import { typesOfAUser } from "./types-of-a-user";

/** The packed package in an empty project, with what the README installs. */

const quickstart = readFileSync("examples/quickstart/main.ts", "utf8");
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  version: string;
  scripts: object;
  peerDependencies: object;
  peerDependenciesMeta: object;
};

const javascriptOf = (module: ts.ModuleKind) =>
  ts.transpileModule(quickstart, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } }).outputText;

let tarball: Tarball;
let consumer: Consumer;

beforeAll(() => {
  tarball = new Tarball();
  consumer = new Consumer({ devDependencies: { "@types/node": "^20" } }).install(tarball.path, ...PEERS);
});

afterAll(() => {
  consumer.remove();
  tarball.remove();
});

describe("the tarball", () => {
  test("holds the built package, its docs and examples, and no test, source or map", () => {
    const isBuilt = (path: string) => /^dist\/(.*(\.js|\.d\.ts|\.LEGAL\.txt)|plugin\.zip(\.json)?)$/.test(path);
    const isRead = (path: string) => /^docs\/(?!api\/).*\.(md|png)$|^examples\/(?!.*(node_modules|cdktf\.out)\/)/.test(path);
    const odd = tarball.files.map(({ path }) => path).filter((path) => !isBuilt(path) && !isRead(path));
    const papers = ["CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "SECURITY.md"];
    expect(odd.sort()).toEqual([...papers, "dist/hooks/package.json", "package.json"]);
  });

  test("has every file that its pages link to", () => {
    const has = new Set(tarball.files.map(({ path }) => path));
    const isThere = (path: string) => has.has(path) || [...has].some((file) => file.startsWith(`${path.replace(/\/$/, "")}/`));
    const pages = [...has].filter((path) => path.endsWith(".md"));
    expect(pages.length).toBeGreaterThan(20);
    const broken = pages.flatMap((page) =>
      [...prose(page).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
        .map(([, target]) => normalize(join(dirname(page), target!)))
        .filter((target) => !isThere(target))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("has the size that the README says, and no script that npm warns of when it installs the package", () => {
    const said = Number(/unpacked it is about (\d+) MB/.exec(readFileSync("README.md", "utf8"))![1]);
    expect(Math.round(tarball.unpackedSize / 1e6)).toBe(said);
    expect(sizeOf(join(consumer.folder, "node_modules/cdktf-cluster-platform"))).toBe(tarball.unpackedSize);
    expect(Object.keys(manifest.scripts).filter((name) => /^((pre|post)?install|prepare)$/.test(name))).toEqual([]);
  });

  test.each([
    ["publint", "publint/src/cli.js", ["--strict"]],
    ["attw", "@arethetypeswrong/cli/dist/index.js", []],
  ])("is clean for %s", async (_, script, args) => {
    expect(await consumer.tool(script, [tarball.path, ...args])).toMatchObject({ status: 0 });
  });

  test("works with one of two CDKs, and requires neither", () => {
    expect(manifest.peerDependencies).toEqual({
      "@cdktf/provider-null": "^11.0.0",
      cdktf: "^0.21.0",
      cdktn: "^0.24.0",
      constructs: "^10.4.2",
    });
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(["@cdktf/provider-null", "cdktf", "cdktn"]);
    expect(["cdktf", "constructs"].map((name) => consumer.version(name))).toEqual([
      expect.stringMatching(/^0\.21\./),
      expect.stringMatching(/^10\./),
    ]);
    expect(["cdktn", "@cdktf"].filter((name) => existsSync(join(consumer.folder, "node_modules", name)))).toEqual([]);
  });

  test.each(["main.cjs", "main.mjs"])("says what to install without a CDK: %s", async (file) => {
    const project = new Consumer().install(tarball.path);
    const imported = file.endsWith(".cjs") ? 'require("cdktf-cluster-platform")' : 'import "cdktf-cluster-platform"';
    const { status, output } = await project.write({ [file]: imported }).node([file]);
    project.remove();
    expect(status).toBe(1);
    const readme = readFileSync("README.md", "utf8");
    const commands = [...output.matchAll(/`npm install ([^`]+)`, and import from "cdktf-cluster-platform/g)].map(([, it]) => it!);
    expect(commands).toEqual([expect.stringMatching(/^cdktf@/), expect.stringMatching(/^cdktn@/)]);
    expect(readme).toContain(`npm install cdktf-cluster-platform ${commands[0]}\n`);
    expect(output).toContain("code: 'MISSING_CDK'");
  });
});

test.each([
  // Without esModuleInterop and with skipLibCheck off: the published types must not depend on a user's settings.
  ["node10", "ts", { module: "commonjs", moduleResolution: "node10", skipLibCheck: false }],
  ["node16 in CommonJS", "cts", { module: "node16", skipLibCheck: true }],
  ["node16 in an ES module", "mts", { module: "node16", skipLibCheck: false }],
  ["bundler", "ts", { module: "esnext", moduleResolution: "bundler", skipLibCheck: true }],
])("types resolve under %s", async (name, extension, options) => {
  const folder = `types-${name.replaceAll(" ", "-")}`;
  consumer.write({
    [`${folder}/main.${extension}`]: typesOfAUser,
    [`${folder}/tsconfig.json`]: JSON.stringify({
      compilerOptions: { ...options, target: "es2022", strict: true, noEmit: true, types: ["node"] },
      include: ["."],
    }),
  });
  expect(await consumer.tool(TSC, ["-p", folder])).toEqual({ status: 0, output: "" });
});

test("the quickstart compiles with the tsconfig.json of the README", async () => {
  const [, settings] = /^```json\n(.*compilerOptions.*)\n```/m.exec(readFileSync("README.md", "utf8"))!;
  consumer.write({ "readme/main.ts": quickstart, "readme/tsconfig.json": settings! });
  expect(await consumer.tool(TSC, ["-p", "readme", "--noEmit"])).toEqual({ status: 0, output: "" });
});

describe("the quickstart", () => {
  const synthesize = async (script: string | undefined, file: string, text: string) => {
    const outdir = join(consumer.folder, `${file}.out`);
    consumer.write({
      [file]: text,
      "tsconfig.json": JSON.stringify({ compilerOptions: { module: "commonjs", target: "es2022", strict: true } }),
    });
    const env = { CDKTF_OUTDIR: outdir };
    const run = await (script ? consumer.tool(script, [file], env) : consumer.node([file], env));
    expect(run).toEqual({ status: 0, output: "" });
    return join(outdir, "stacks/quickstart");
  };

  let expected: string;

  beforeAll(async () => {
    expected = readFileSync(
      join(await synthesize(undefined, "main.cjs", javascriptOf(ts.ModuleKind.CommonJS)), "cdk.tf.json"),
      "utf8",
    );
  });

  test.each([
    ["an ES module in plain JavaScript", undefined, "main.mjs", () => javascriptOf(ts.ModuleKind.ESNext)],
    ["tsx", TSX, "main.ts", () => quickstart],
    ["tsx, as an ES module", TSX, "module.mts", () => quickstart],
    ["ts-node", TS_NODE, "main.ts", () => quickstart],
    ["an esbuild bundle", undefined, "bundle.cjs", () => bundled("--format=cjs", "--packages=external")],
    ["an esbuild bundle of ES modules", undefined, "bundle.mjs", () => bundled("--format=esm", "--packages=external")],
    ["an esbuild bundle with cdktf", undefined, "cdktf.cjs", () => bundled("--external:cdktf-cluster-platform")],
  ])("synthesizes the same in %s as in CommonJS", async (_, script, file, text) => {
    const folder = await synthesize(script, file, text());
    expect(readFileSync(join(folder, "cdk.tf.json"), "utf8")).toBe(expected);
  });
});

test("the command line lists the objects of the embedded service", async () => {
  const env = { CLUSTER_PLATFORM_TOKEN: "token-of-the-test" };
  consumer.write({
    "service.mjs": `
      import { startSimulator } from "cdktf-cluster-platform/simulator";
      const { url } = await startSimulator({ token: process.env.CLUSTER_PLATFORM_TOKEN });
      process.send(url);
    `,
  });
  const service = consumer.fork("service.mjs", env);
  try {
    const run = { ...env, CLUSTER_PLATFORM_URL: await service.message };
    expect(await consumer.node(["node_modules/.bin/cluster-platform", "get", "clusters"], run)).toEqual({
      status: 0,
      output: "no clusters\n",
    });
  } finally {
    service.stop();
  }
});

test("an ES module can import every name", async () => {
  consumer.write({
    "names.mjs": `
      import { createRequire } from "node:module";
      for (const entry of ["cdktf-cluster-platform", "cdktf-cluster-platform/simulator"]) {
        const names = Object.keys(createRequire(import.meta.url)(entry));
        const imported = Object.keys(await import(entry));
        console.log(entry, names.length > 1, names.filter((name) => !imported.includes(name)));
      }
    `,
  });
  expect((await consumer.node(["names.mjs"])).output.split("\n")).toEqual([
    "cdktf-cluster-platform true []",
    "cdktf-cluster-platform/simulator true []",
    "",
  ]);
});

test("the command line says its version", async () => {
  expect(await consumer.node(["node_modules/.bin/cluster-platform", "--version"])).toEqual({
    status: 0,
    output: `${manifest.version}\n`,
  });
});

test("a bundle that contains the package says what to do", async () => {
  consumer.write({ "bundle/app/main.cjs": bundled("--external:cdktf", "--external:@cdktf/*") });
  const { status, output } = await consumer.node(["bundle/app/main.cjs"]);
  expect(status).toBe(1);
  expect(output).toContain("leave cdktf-cluster-platform out");
});

/** The quickstart bundled by esbuild, with the options that docs/modules.md has. */
function bundled(...options: string[]): string {
  consumer.write({ "app.mjs": javascriptOf(ts.ModuleKind.ESNext) });
  const args = ["app.mjs", "--bundle", "--platform=node", ...options];
  const spawning = { cwd: consumer.folder, encoding: "utf8", maxBuffer: 2 ** 25 } as const;
  return execFileSync(resolve("node_modules/.bin/esbuild"), args, spawning);
}
