import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import "./set-up.mjs";
import { NEWER_NODES, newNode } from "./new-node.mjs";

/**
 * Runs the tests of a scope: `npm test` those of every behaviour once, `npm run test:fast` those without Terraform,
 * `npm run test:rest` the other ones that guard a promise on every change, and `npm run test:campaigns` the long ones that run each
 * night and before a release. Arguments are jest's.
 */

/** Suites that run Terraform, cdktf or npm, as jest's patterns of their paths. */
const WITH_TERRAFORM = [
  "test/terraform/",
  "test/plugin/(data|import|kills|lifecycle|protection|ready|refresh|secrets|terraform)\\.test",
  "test/cli/drift/repair\\.test",
  "test/cli/doctor(/plugin)?\\.test",
  "test/bad-input/tokens\\.test",
  "test/docs/code-blocks\\.test",
  "test/testing/deployment\\.test",
];

/** Plays more sequences in campaigns. */
const AGAINST_TERRAFORM = "test/world/against-terraform\\.test";
/** Suites of whole journeys, and what they are about. */
const ONLY_IN_REST = {
  "test/cli/drift/repair\\.test": "the commands that drift prints, carried out by the real Terraform",
  "test/cli/review/comment\\.test": "comments on pull requests",
  "test/cdktf-cli/": "cdktf's command line",
  "test/demo\\.test": "the demo",
  "test/docs/api-reference\\.test": "the reference of the API",
  "test/(examples/|terraform/examples\\.test)": "the examples",
  "test/package/cdk-terrain\\.test": "the tarball in a project with CDK Terrain",
  "test/package/change-to-cdktn\\.test": "a deployed stack that changes to CDK Terrain",
  "test/package/empty-project\\.test": "the tarball in an empty project",
  "test/package/existing-project\\.test": "a project that joins clusters to what it has",
  "test/package/released-state\\.test": "states of released versions",
  "test/terraform/package-upgrade\\.test": "an upgrade of the package after an interrupted apply",
  "test/pipelines/(github|gitlab|scripts)\\.test": "the pipelines of GitHub and GitLab",
  "test/plugin/kills\\.test": "kills and signals at any point of an apply with the provider",
  "test/plugin/refresh\\.test": "drift and missing objects with the provider",
  "test/terraform/overrides\\.test": "each form of JSON in bodyOverrides with the real Terraform",
  "test/terraform/provider-engine\\.test": "stacks with the provider beside others",
  "test/terraform/(interrupts|machine-dies)\\.test": "signals to hooks, and a machine that dies, with the real Terraform",
  "test/terraform/provider-orphans\\.test": "objects of interrupted creates in stacks with the provider",
  "test/terraform/review-without-plan\\.test": "the review of two programs beside that of real plans",
  "test/terraform/review-attacks\\.test": "attacks on a review with real plans",
  "test/terraform/runbooks\\.test": "the runbooks of docs/day-2.md",
  "test/terraform/(adoption|engine-switch|imported-instance|move-between-stacks)\\.test":
    "adoption, moves and changes of the engine with the real Terraform",
  "test/terraform/(another-machine|needs)\\.test": "sequences of edits and failures with the real Terraform",
  "test/terraform/(dependents|resource-arguments)\\.test":
    "other resources that depend on clusters, and Terraform's own arguments",
  "test/terraform/used-as-modules\\.test": "one synthesized folder as two modules",
  "test/terraform/unguarded\\.test": "states without a deletion guard",
  "test/terraform/written-program\\.test": "a written program that takes over 50 clusters",
  [AGAINST_TERRAFORM]: "the model of Terraform against the real one",
  "test/world/found(/|\\.test)": "every sequence that once violated a rule in the simulated world",
  "test/world/kills\\.test": "the tables of kills in the simulated world",
};
/** Suites of campaigns, and what they are about. */
const ONLY_IN_CAMPAIGNS = {
  "test/acceptance/": "HashiCorp's acceptance tests of providers",
  "test/bench\\.test": "the benchmark with tiny sizes",
  "test/(plugin/destroy-argument|terraform/(actions|ephemeral-resources|exclude))\\.test": "what only newer programs can do",
  "test/world/random\\.test": "random sequences in the simulated world",
  "test/world/broken\\.test": "versions of the code that are broken on purpose",
};
/** Suites that newer Nodes play as well: the demo, the tarball, both kinds of engines, and that the hooks run on it. */
const ON_NEWER_NODES = [
  "test/demo",
  "test/package/empty-project",
  "test/terraform/lifecycle",
  "test/plugin/lifecycle",
  "test/hooks/self-test",
];

const [onlyInRest, onlyInCampaigns] = [ONLY_IN_REST, ONLY_IN_CAMPAIGNS].map((suites) => Object.keys(suites));
const inCampaigns = `${Object.values(ONLY_IN_CAMPAIGNS).join(", ")}, each test on the other backends, newer Nodes (npm run test:campaigns)`;
const inRest = `${Object.values(ONLY_IN_REST).join(", ")}, lint (npm run test:rest)`;

const suitesWith = (text) =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && text.test(readFileSync(join("test", file), "utf8")))
    .map((file) => join("test", file));
/** Suites with tests that run on one of several backends, and suites with tests that `npm test` leaves out. */
const onBackends = () => suitesWith(/\b(testInRest|testOn(Backends|Programs(InRest)?)?|backendsFor)\(/);
const partlyInRest = () => suitesWith(/\b(testInRest|testOnceInRest|testOnProgramsInRest|inRest|isRest)\b/);

const only = (suites) => suites.map((suite) => `--testPathPatterns=${suite}`);
const ignoring = (suites) => suites.map((suite) => `--testPathIgnorePatterns=${suite}`);

const scopes = {
  usual: {
    checks: ["types"],
    backends: "usual",
    suites: () => ignoring([...onlyInRest, ...onlyInCampaigns]),
    leavesOut: [inRest, inCampaigns],
  },
  fast: {
    checks: [],
    backends: "none",
    suites: () => ignoring([...WITH_TERRAFORM, ...onlyInRest, ...onlyInCampaigns]),
    leavesOut: ["types, everything that runs Terraform, cdktf or npm (npm test)", inRest, inCampaigns],
  },
  rest: {
    checks: ["lint"],
    backends: "rest",
    suites: () => [...only([...partlyInRest(), ...onlyInRest]), ...ignoring(onlyInCampaigns)],
    leavesOut: ["what npm test runs", inCampaigns],
  },
  campaigns: {
    isOnNewerNodes: true,
    checks: [],
    backends: "campaigns",
    suites: () => only([...onBackends(), ...onlyInCampaigns, AGAINST_TERRAFORM]),
    leavesOut: ["what npm test and npm run test:rest run"],
  },
};

const [scope = "usual", ...more] = process.argv.slice(2);
const { checks, backends, suites, leavesOut, isOnNewerNodes = false } = scopes[scope];
const report = `.cache/test-${scope}.json`;
const newNodeReport = (version) => `.cache/test-node-${version}.json`;
const newNodeReports = NEWER_NODES.map(newNodeReport);
mkdirSync(".cache", { recursive: true });
for (const file of [report, ...newNodeReports]) rmSync(file, { force: true });

// A check uses one core only, so it runs beside the tests.
const checking = Promise.all(checks.map(async (check) => [check, await run("npm", ["run", "--silent", check])]));
const status = await run("npx", ["jest", "--json", `--outputFile=${report}`, ...more, ...suites()], { TEST_BACKENDS: backends });
let statusOnNewNodes = 0;
if (isOnNewerNodes && more.length === 0) for (const version of NEWER_NODES) statusOnNewNodes ||= await onNewerNode(version);
const failed = (await checking).filter(([, each]) => each !== 0).map(([check]) => check);
if (failed.length > 0)
  console.log(`\nfailed: ${failed.map((check) => `npm run ${check}`).join(" and ")}; its findings stand above`);
console.log(`\nNot in this run: ${leavesOut.join("; ")}.`);
const soFar = process.env.TESTS_SO_FAR;
const reports = [report, ...(soFar ? [`.cache/test-${soFar}.json`] : []), ...newNodeReports.filter((file) => existsSync(file))];
end(reports.map(countsOf).reduce(sum), status || statusOnNewNodes || failed.length);

async function onNewerNode(version) {
  const { folder, what } = await newNode(version);
  if (!folder) {
    console.error(`NOT RUN: tests on a newer Node: ${what}`);
    return process.env.REQUIRE_ALL_TESTS ? 1 : 0;
  }
  console.log(`\nThe same on ${what}: ${ON_NEWER_NODES.join(", ")}`);
  const jest = ["node_modules/jest/bin/jest.js", "--json", `--outputFile=${newNodeReport(version)}`, ...ON_NEWER_NODES];
  return run(join(folder, "node"), jest, { PATH: `${folder}${delimiter}${process.env.PATH}` });
}

function countsOf(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, "utf8"));
  return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, skipped: numPendingTests };
}

function sum(one, other) {
  return Object.fromEntries(Object.entries(one).map(([key, count]) => [key, count + other[key]]));
}

function end({ passed, failed, skipped }, status = 1) {
  console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
  process.exit(status === 0 && failed === 0 && passed > 0 ? 0 : 1);
}

function run(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: "inherit",
      shell: process.platform === "win32",
      env: { ...process.env, CHECKPOINT_DISABLE: "1", ...env },
    });
    child.on("error", reject).on("close", resolve);
  });
}
