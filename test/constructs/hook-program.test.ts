import { writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { Platform } from "../../src/constructs/platform";
import { type Simulator, startSimulator } from "../../src/simulator";
import { environment, TOKEN } from "../bad-input/hook";
import { cluster, provider } from "../support/capvs";
import { synthesize } from "../support/synth";
import { engines } from "../support/tools";
import { execute, Workspace } from "../terraform/workspace";

const INTERPRETER = /"interpreter":\["node","([^"]+)"\]/g;

test.each(engines)("on %s the synthesized stack has no path of this package or the project", (engine) => {
  const { resource, locals } = synthesize((stack) => {
    const platform = new Platform(stack, "platform", { engine });
    cluster(platform, "prod", provider(platform));
  });
  // Some of cdktf's own comments hold a stack trace with paths.
  const text = JSON.stringify({ resource, locals }, (key, value: unknown) => (key === "//" ? undefined : value));
  const programs = [...text.matchAll(INTERPRETER)].map(([, program]) => program!);
  expect(programs.length).toBeGreaterThan(5);
  expect(
    programs.filter((program) => isAbsolute(program) || !/^assets\/cluster-platform-hooks\/[^/]+\/main\.js$/.test(program)),
  ).toEqual([]);
  expect(text).not.toContain(process.cwd());
});

describe("the program that a stack carries", () => {
  const ES_MODULES = '{ "type": "module" }';
  const options: [string, string, string][] = [
    ["the package.json of a project of ES modules", ES_MODULES, ""],
    ["a package.json that is not JSON", "<<<<<<< HEAD", ""],
    ["Node's own preference for ES modules", "{}", "--experimental-default-type=module"],
    ["a module that is loaded first, and prints", ES_MODULES, "--import data:text/javascript,console.log(1)"],
    ["tsx", ES_MODULES, `--import ${resolve("node_modules/tsx/dist/loader.mjs")}`],
  ];
  // Newer versions of Node lack some of these options.
  const known = options.filter(([, , flags]) => !flags || process.allowedNodeEnvironmentFlags.has(flags.split(/[ =]/)[0]!));
  const workspace = new Workspace();
  let simulator: Simulator;
  let program: string;

  beforeAll(async () => {
    simulator = await startSimulator({ token: TOKEN });
    workspace.synth((stack) => provider(new Platform(stack, "platform")));
    program = [...JSON.stringify(workspace.synthesized()).matchAll(INTERPRETER)][0]![1]!;
  });

  afterAll(async () => {
    workspace.remove();
    await simulator.close();
  });

  test.each(known)("runs under %s", async (_, manifest, NODE_OPTIONS) => {
    writeFileSync(join(workspace.folder, "package.json"), manifest);
    const before = simulator.requests.length;
    const env = { ...environment(simulator.url), NODE_OPTIONS };
    expect(await execute("node", [program, "orphan-check"], workspace.stackFolder, env, {})).toMatchObject({ status: 0 });
    expect(simulator.requests.length).toBeGreaterThan(before);
  });
});
