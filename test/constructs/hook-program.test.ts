import { createHash } from "node:crypto";
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Platform } from "../../src/constructs/platform";
import { hookInterpreter, INCOMPLETE_PROGRAM } from "../../src/contract/hook-interpreter";
import { CHUNK_CHARACTERS, HOOK_ENV } from "../../src/contract/hook-protocol";
import { type Simulator, startSimulator } from "../../src/simulator";
import { environment, TOKEN } from "../bad-input/hook";
import { cluster, provider } from "../support/capvs";
import { SKIP_PAUSES } from "../support/pauses";
import { synthesize } from "../support/synth";
import { engines } from "../support/tools";
import { execute, Workspace } from "../terraform/workspace";

function interpretersIn(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  if ("interpreter" in value) return [value.interpreter as string[]];
  return Object.values(value).flatMap(interpretersIn);
}

function environmentsIn(value: unknown): Record<string, string>[] {
  if (typeof value !== "object" || value === null) return [];
  if ("interpreter" in value) return [(value as unknown as { environment: Record<string, string> }).environment];
  return Object.values(value).flatMap(environmentsIn);
}

test.each(engines)("on %s the synthesized stack has no path of this package or the project", (engine) => {
  const { resource, locals } = synthesize((stack) => {
    const platform = new Platform(stack, "platform", { engine });
    cluster(platform, "prod", provider(platform));
  });
  // Some of cdktf's own comments hold a stack trace with paths.
  const text = JSON.stringify({ resource, locals }, (key, value: unknown) => (key === "//" ? undefined : value));
  const interpreters = interpretersIn(resource);
  expect(interpreters.length).toBeGreaterThan(5);
  const program = expect.stringMatching(/^assets\/cluster-platform-hooks\/[^/]+\/main\.js$/) as string;
  for (const interpreter of interpreters) expect(interpreter).toEqual(hookInterpreter(program));
  expect(text).not.toContain(process.cwd());
});

describe("the environment of a hook", () => {
  const longName = (index: number) => createHash("sha256").update(`${index}`).digest("hex").slice(0, 60);

  test("has no large variable, however many objects there are, and no NODE_DEBUG of the run", () => {
    const { resource } = synthesize((stack) => {
      new Platform(stack, "platform");
      for (let index = 0; index < 1_000; index++) provider(stack, longName(index));
    });
    const environments = environmentsIn(resource);
    expect(environments.length).toBeGreaterThan(5);
    expect(environments.filter(({ NODE_DEBUG }) => NODE_DEBUG !== "")).toEqual([]);
    expect(Math.max(...environments.flatMap(Object.values).map(({ length }) => length))).toBeLessThanOrEqual(CHUNK_CHARACTERS);
    // What Terraform computes is split in the same way.
    const guarding = environments.find((each) => `${HOOK_ENV.before}_1` in each)!;
    expect(guarding[`${HOOK_ENV.before}_1`]).toMatch(/^\$\{substr\(.*, 30720, 30720\)\}$/);
  });

  test("is refused at synth if it has no room for the names in a setting", () => {
    const retain = Array.from({ length: 600 }, (_, index) => longName(index));
    expect(() => synthesize((stack) => provider(new Platform(stack, "platform", { retain })))).toThrow(
      /stack\/platform: the Platform's lists of names must fit into the environment of a hook, 30 KiB for one list and 512 KiB for all/,
    );
  });
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
  let interpreter: string[];

  beforeAll(async () => {
    simulator = await startSimulator({ token: TOKEN });
    workspace.synth((stack) => provider(new Platform(stack, "platform")));
    interpreter = interpretersIn(workspace.synthesized())[0]!;
  });

  afterAll(async () => {
    workspace.remove();
    await simulator.close();
  });

  test.each(known)("runs under %s", async (_, manifest, NODE_OPTIONS) => {
    writeFileSync(join(workspace.folder, "package.json"), manifest);
    const before = simulator.requests.length;
    expect(await run({ NODE_OPTIONS })).toMatchObject({ status: 0 });
    expect(simulator.requests.length).toBeGreaterThan(before);
  });

  test("says in one line which of its files is missing", async () => {
    writeFileSync(join(workspace.folder, "package.json"), ES_MODULES);
    const program = join(workspace.stackFolder, interpreter.at(-1)!);
    const files = readdirSync(dirname(program)).filter((file) => file.endsWith(".js"));
    // Which chunks this hook loads is the bundler's choice.
    const needed: string[] = [];
    for (const file of files) {
      renameSync(join(dirname(program), file), join(workspace.folder, file));
      const { status, output } = await run({ NODE_OPTIONS: known.at(2)![2] });
      if (status !== 0) {
        needed.push(file);
        expect({ status, output }).toEqual({
          status: 2,
          output: expect.stringMatching(
            new RegExp(
              `^Error \\[INVALID_SETTING\\] Cannot find module '[^']*${file}'(?:; nothing was sent)?\\. ${INCOMPLETE_PROGRAM}\n$`,
            ),
          ),
        });
      }
      renameSync(join(workspace.folder, file), join(dirname(program), file));
    }
    expect(needed).toEqual(
      expect.arrayContaining(["main.js", expect.stringMatching(/^chunk-/), expect.stringMatching(/^pool-/)]),
    );
  });

  test("is started by arguments that no shell, batch file or template changes", () => {
    expect(hookInterpreter("").join(" ")).not.toMatch(/["%$&|<>^!`\n]/);
  });

  function run(env: NodeJS.ProcessEnv) {
    const [node, ...args] = interpreter;
    // With `--require`, Node would read the package.json of the folder, which these tests break.
    const skipping = `--import=${pathToFileURL(SKIP_PAUSES).href}`;
    const all = { ...environment(simulator.url), ...env, NODE_OPTIONS: `${skipping} ${env.NODE_OPTIONS}` };
    return execute(node!, [...args, "orphan-check"], workspace.stackFolder, all, {});
  }
});
