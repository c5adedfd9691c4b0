import { execFile, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import type { Repository } from "./repository";

export interface JobOutcome {
  readonly status: number;
  readonly log: string;
  readonly folder: string;
}

interface Job {
  readonly variables?: Record<string, string>;
  readonly before_script?: string[];
  readonly script: string[];
  readonly environment?: string | { name: string };
  readonly artifacts?: { paths?: string[]; when?: string; reports?: { dotenv?: string } };
}

type Values = Record<string, string>;

/**
 * GitLab: gitlab-ci-local validates the file against GitLab's schema and selects the jobs. Their scripts run unchanged, each
 * job in a clone of its own with the artifacts of earlier jobs.
 */
export class Gitlab {
  constructor(
    private readonly repository: Repository,
    /** Variables of the project, GitLab's own ones included, and of the environments. */
    readonly variables: { readonly project: Values; readonly environments: Record<string, Values> },
    private readonly env: NodeJS.ProcessEnv,
  ) {
    repository.git("remote", "add", "origin", "https://gitlab.example.com/team/sites.git");
  }

  async jobsOf(pipeline: Values): Promise<{ name: string; when: string }[]> {
    const listed = await this.local(["--list-json"], pipeline);
    const jobs = JSON.parse(listed.slice(listed.search(/^\[$/m))) as { name: string; when: string }[];
    return jobs.filter(({ when }) => when !== "never");
  }

  /** Runs all jobs of a pipeline, including manual ones. After a failure, only those that run always. */
  async run(sha: string, pipeline: Values): Promise<Record<string, JobOutcome>> {
    const preview = await this.local(["--preview"], pipeline);
    const definition = parse(preview.slice(preview.indexOf("---"))) as Record<string, Job> & { variables: Values };
    const outcomes: Record<string, JobOutcome> = {};
    const left: { files: string[]; folder: string; dotenv: Values }[] = [];
    for (const { name, when } of await this.jobsOf(pipeline)) {
      const job = definition[name]!;
      if (Object.values(outcomes).some(({ status }) => status !== 0) && when !== "always") continue;
      const folder = await this.clone(sha);
      for (const artifact of left)
        for (const file of artifact.files) copyWithoutModes(join(artifact.folder, file), join(folder, file));
      const environment = typeof job.environment === "string" ? job.environment : (job.environment?.name ?? "");
      const variables = expanded({
        ...this.variables.project,
        ...this.variables.environments[environment],
        ...pipeline,
        ...definition.variables,
        ...job.variables,
        ...Object.assign({}, ...left.map(({ dotenv }) => dotenv)),
      });
      const outcome = await this.script(job, folder, variables);
      outcomes[name] = outcome;
      if (outcome.status !== 0) continue;
      const { paths = [], reports } = job.artifacts ?? {};
      left.push({
        folder,
        files: paths.filter((path) => existsSync(join(folder, path))),
        dotenv: reports?.dotenv ? dotenv(join(folder, reports.dotenv)) : {},
      });
    }
    return outcomes;
  }

  private async clone(sha: string): Promise<string> {
    const folder = this.repository.makeFolder("job");
    const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: folder });
    await git("init", "--quiet");
    await git("remote", "add", "origin", `file://${this.repository.folder}`);
    await git("fetch", "--quiet", "--depth=20", "origin", sha);
    await git("checkout", "--quiet", "FETCH_HEAD");
    return folder;
  }

  private script({ before_script = [], script }: Job, cwd: string, variables: Values): Promise<JobOutcome> {
    return new Promise((done, fail) => {
      const child = spawn("bash", ["-eo", "pipefail", "-c", [...before_script, ...script].join("\n")], {
        cwd,
        env: { ...this.env, CI: "true", GITLAB_CI: "true", ...variables },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let log = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (log += chunk.toString()));
      child.on("error", fail).on("close", (status) => done({ status: status ?? 1, log, folder: cwd }));
    });
  }

  private async local(args: readonly string[], pipeline: Values): Promise<string> {
    const variables = Object.entries(pipeline).flatMap(([name, value]) => ["--variable", `${name}=${value}`]);
    const program = resolve("node_modules/gitlab-ci-local/src/index.js");
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, ...variables], {
      cwd: this.repository.folder,
      env: { ...this.env, HOME: this.env.HOME },
    });
    return stdout;
  }
}

function copyWithoutModes(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
  chmodSync(to, 0o644);
}

function dotenv(file: string): Values {
  return Object.fromEntries(
    readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
}

/** In GitLab, variables may refer to variables. */
function expanded(variables: Values): Values {
  const value = (text: string): string => text.replace(/\$\{?(\w+)\}?/g, (_, name: string) => value(variables[name] ?? ""));
  return Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, value(String(text))]));
}
