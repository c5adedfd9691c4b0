import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";
import { parse } from "yaml";

/**
 * Runs a GitHub workflow. Every job gets a folder of its own, bash runs the scripts, and GitHub's own evaluator computes the
 * expressions. Actions are simulated by their known effects, and anything unknown is an error. The argument is the path of a
 * file that describes the run (see github.ts). The results are written to the same file. SIGINT cancels the run as GitHub does.
 */
const file = process.argv[2];
const run = JSON.parse(readFileSync(file, "utf8"));
const workflow = parse(execFileSync("git", ["show", `${run.sha}:${run.workflow}`], { cwd: run.checkout, encoding: "utf8" }));
const shell = workflow.defaults?.run?.shell === "bash" ? ["bash", "--noprofile", "--norc", "-eo", "pipefail"] : ["bash", "-e"];
const jobs = {};
let cancelled = false;
let running;

process.on("SIGINT", () => {
  cancelled = true;
  // Signals only the process that the step started, and then waits this long.
  const child = running;
  child?.kill("SIGINT");
  setTimeout(() => child?.kill("SIGTERM"), 7_500).unref();
  setTimeout(() => child?.kill("SIGKILL"), 10_000).unref();
});

for (const id of inOrder(workflow.jobs)) jobs[id] = await runJob(id, workflow.jobs[id]);
writeFileSync(file, JSON.stringify({ ...run, jobs }));

async function runJob(id, job) {
  const needs = Object.fromEntries([job.needs ?? []].flat().map((name) => [name, jobs[name]]));
  const failed = Object.values(needs).some(({ result }) => result !== "success");
  const contexts = { ...commonContexts(job), needs };
  const state = { failed };
  if (cancelled) return { result: "cancelled", outputs: {}, summary: "", log: "" };
  if (!holds(job.if, contexts, state)) return { result: "skipped", outputs: {}, summary: "", log: "" };

  const folder = mkdtempSync(join(run.storage, `${id}-`));
  const workspace = join(folder, "workspace");
  const temp = join(folder, "temp");
  mkdirSync(workspace);
  mkdirSync(temp);
  writeFileSync(join(temp, "event.json"), JSON.stringify(run.payload));
  const summary = join(temp, "summary.md");
  writeFileSync(summary, "");
  contexts.env = evaluated(job.env ?? {}, contexts, state);
  contexts.steps = {};
  contexts.runner = { temp };
  let log = "";
  let result = "success";

  for (const [index, step] of job.steps.entries()) {
    if (!holds(step.if, contexts, { failed: result !== "success" })) {
      if (step.id) contexts.steps[step.id] = { outputs: {}, outcome: "skipped" };
      continue;
    }
    const scope = { ...contexts, env: { ...contexts.env, ...evaluated(step.env ?? {}, contexts, state) } };
    const output = join(temp, `output-${index}`);
    writeFileSync(output, "");
    log += `\n##[${step.name ?? step.uses ?? step.run}]\n`;
    let outcome = "success";
    try {
      if (step.uses) log += act(step.uses, evaluated(step.with ?? {}, scope, state), workspace, temp);
      else log += await execute(text(step.run, scope, state), { workspace, temp, output, summary, scope });
    } catch (error) {
      log += `${error.log ?? error.stack}\n`;
      result = outcome = cancelled ? "cancelled" : "failure";
    }
    if (step.id) contexts.steps[step.id] = { outputs: keyValues(readFileSync(output, "utf8")), outcome };
  }
  return {
    result,
    outputs: evaluated(job.outputs ?? {}, contexts, state),
    summary: readFileSync(summary, "utf8"),
    log,
    workspace,
  };
}

function act(uses, inputs, workspace, temp) {
  const [name, version] = uses.split("@");
  if (!/^[0-9a-f]{40}$/.test(version)) throw new Error(`${uses} must be pinned to a commit`);
  const git = (...args) => execFileSync("git", args, { cwd: workspace, stdio: "pipe" });
  const artifact = join(run.storage, "artifacts", inputs.name ?? "");
  switch (name) {
    case "actions/checkout":
      git("init", "--quiet");
      git("fetch", "--quiet", ...depth(inputs["fetch-depth"]), `file://${run.checkout}`, inputs.ref ?? run.sha);
      git("checkout", "--quiet", "FETCH_HEAD");
      return "";
    case "actions/setup-node":
    case "hashicorp/setup-terraform":
      return "";
    case "actions/upload-artifact":
      if (!existsSync(join(workspace, inputs.path))) throw new Error(`no files were found at ${inputs.path}`);
      mkdirSync(artifact, { recursive: true });
      cpSync(join(workspace, inputs.path), join(artifact, inputs.path));
      // Artifacts do not keep permissions.
      chmodSync(join(artifact, inputs.path), 0o644);
      return `uploaded ${inputs.path}`;
    case "actions/download-artifact":
      cpSync(artifact, workspace, { recursive: true });
      return "";
    case "actions/cache/save": {
      const folder = join(run.storage, "caches");
      mkdirSync(folder, { recursive: true });
      const pack = `shopt -s nullglob; found=(${inputs.path}); [ \${#found[@]} = 0 ] || tar -cf "$1" "\${found[@]}"`;
      execFileSync("bash", ["-c", pack, "-", join(folder, inputs.key)], { cwd: workspace });
      return `saved ${inputs.key}`;
    }
    case "actions/cache/restore": {
      const folder = join(run.storage, "caches");
      const age = (key) => statSync(join(folder, key)).mtimeMs;
      const found = (existsSync(folder) ? readdirSync(folder) : [])
        .filter((key) => key === inputs.key || key.startsWith(inputs["restore-keys"]))
        .sort((one, other) => age(other) - age(one))[0];
      if (!found) return "nothing restored";
      execFileSync("tar", ["-xf", join(folder, found)], { cwd: workspace });
      return `restored ${found}`;
    }
    default:
      throw new Error(`${uses} is not known here (${temp})`);
  }
}

/** 0 means the whole history. */
function depth(wanted = "1") {
  return wanted === "0" ? [] : [`--depth=${wanted}`];
}

function execute(script, { workspace, temp, output, summary, scope }) {
  const program = join(mkdtempSync(join(temp, "step-")), "script.sh");
  writeFileSync(program, script);
  const env = {
    ...run.env,
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: run.github.api_url,
    GITHUB_GRAPHQL_URL: `${run.github.api_url}/graphql`,
    GITHUB_SERVER_URL: run.github.server_url,
    GITHUB_REPOSITORY: run.github.repository,
    GITHUB_EVENT_NAME: run.event,
    GITHUB_EVENT_PATH: join(temp, "event.json"),
    GITHUB_REF: run.ref,
    GITHUB_SHA: run.sha,
    GITHUB_RUN_ID: String(run.id),
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    RUNNER_TEMP: temp,
    ...scope.env,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(shell[0], [...shell.slice(1), program], { cwd: workspace, env, stdio: ["ignore", "pipe", "pipe"] });
    running = child;
    let log = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        log += chunk;
        if (run.tee) appendFileSync(run.tee, chunk);
      });
    }
    child.on("close", (code, signal) => {
      running = undefined;
      if (code === 0) resolve(log);
      else reject(Object.assign(new Error("step failed"), { log: `${log}\nthe step ended with ${code ?? signal}` }));
    });
  });
}

function commonContexts(job) {
  const environment = run.environments?.[job.environment] ?? {};
  const writes = (job.permissions ?? workflow.permissions ?? {})["pull-requests"] === "write";
  return {
    github: {
      ...run.github,
      event: run.payload,
      event_name: run.event,
      actor: run.actor,
      ref: run.ref,
      sha: run.sha,
      run_id: run.id,
      run_attempt: 1,
      token: writes && !run.readOnlyToken ? "writing-token" : "reading-token",
    },
    vars: { ...run.vars, ...environment.vars },
    secrets: { ...run.secrets, ...environment.secrets },
    env: {},
  };
}

function holds(condition, contexts, { failed }) {
  const expression = String(condition ?? "success()").replace(/^\s*\$\{\{([\s\S]*)\}\}\s*$/, "$1");
  const asks = /\b(always|success|failure|cancelled)\(\)/.test(expression);
  return truthy(evaluate(asks ? expression : `success() && (${expression})`, contexts, { failed }));
}

function evaluate(expression, contexts, { failed }) {
  const status = {
    always: true,
    success: !failed && !cancelled,
    failure: failed && !cancelled,
    cancelled,
  };
  const functions = Object.entries(status).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }));
  const names = ["github", "env", "vars", "secrets", "needs", "steps", "runner"];
  const tree = new Parser(new Lexer(expression).lex().tokens, names, functions).parse();
  const values = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, contexts[name] ?? {}]))), data.reviver);
  return new Evaluator(tree, values, new Map(functions.map((definition) => [definition.name, definition]))).evaluate();
}

function truthy(value) {
  return !["", "0", "false", "NaN"].includes(value.coerceString());
}

function text(template, contexts, state) {
  return String(template).replace(/\$\{\{(.*?)\}\}/gs, (_, expression) =>
    evaluate(expression.trim(), contexts, state ?? {}).coerceString(),
  );
}

function evaluated(values, contexts, state) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value, contexts, state)]));
}

function keyValues(lines) {
  return Object.fromEntries(
    lines
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
}

function inOrder(all) {
  const ordered = new Set();
  const visit = (id) => {
    [all[id].needs ?? []].flat().forEach(visit);
    ordered.add(id);
  };
  Object.keys(all).forEach(visit);
  return ordered;
}
