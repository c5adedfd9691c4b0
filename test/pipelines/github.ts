import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CommentApi } from "./comment-api";
import type { Repository } from "./repository";

export interface JobOutcome {
  readonly result: "success" | "failure" | "cancelled" | "skipped";
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly log: string;
  readonly workspace: string;
}

type Values = Readonly<Record<string, string>>;

/** The variables and secrets that the workflows' comments ask for. */
export interface GithubSettings {
  readonly vars: Values;
  readonly secrets: Values;
  readonly environments?: Readonly<Record<string, { readonly vars?: Values; readonly secrets?: Values }>>;
}

export interface GithubEvent {
  readonly event: "pull_request" | "workflow_run" | "push" | "schedule";
  readonly sha: string;
  readonly ref: string;
  readonly payload?: object;
  readonly actor?: string;
  readonly readOnlyToken?: boolean;
  readonly secrets?: Values;
}

export class Github {
  private runs = 0;
  private readonly storage: string;

  constructor(
    private readonly repository: Repository,
    private readonly api: CommentApi,
    readonly settings: GithubSettings,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.storage = repository.makeFolder("github");
  }

  /** Runs a workflow of the checked out branch. `started` gets the runner's process. SIGINT to it cancels the run. */
  async run(
    workflow: string,
    event: GithubEvent,
    { started, log }: { started?: (runner: ChildProcess) => void; log?: string } = {},
  ): Promise<Record<string, JobOutcome>> {
    const id = ++this.runs;
    const description = join(this.storage, `run-${id}.json`);
    mkdirSync(join(this.storage, "artifacts"), { recursive: true });
    writeFileSync(
      description,
      JSON.stringify({
        id,
        actor: "developer",
        payload: {},
        ...this.settings,
        ...event,
        workflow: `.github/workflows/${workflow}.yml`,
        checkout: this.repository.folder,
        storage: this.storage,
        tee: log,
        github: { repository: "team/sites", api_url: this.api.url, server_url: "https://github.example.com" },
        env: this.env,
      }),
    );
    const runner = spawn(process.execPath, [resolve("test/pipelines/github-actions.mjs"), description], { stdio: "inherit" });
    started?.(runner);
    const status = await new Promise((done, fail) => runner.on("error", fail).on("close", done));
    if (status !== 0) throw new Error(`the runner ended with ${String(status)}`);
    return (JSON.parse(readFileSync(description, "utf8")) as { jobs: Record<string, JobOutcome> }).jobs;
  }
}
