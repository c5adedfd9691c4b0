import { type Simulator, startSimulator } from "../../src/simulator";
import { secrets } from "../support/capvs";
import { happenedOn } from "../support/service";
import { StateServer } from "../support/state-server";
import { terraform } from "../support/tools";
import { CommentApi } from "./comment-api";
import { Repository } from "./repository";

/** A team's repository and everything that its pipelines talk to. */
export interface PipelineFixture {
  readonly simulator: Simulator;
  readonly state: StateServer;
  readonly api: CommentApi;
  readonly repository: Repository;
  /** The environment of every process before the pipeline adds to it. */
  readonly env: NodeJS.ProcessEnv;
  /** The events of the service in order, such as `+staging` and `-staging`. */
  happened(): string[];
  close(): Promise<void>;
}

export { secrets };

export const READER = { name: "reader", password: "password-of-the-reader", mayWrite: false };
export const WRITER = { name: "writer", password: "password-of-the-writer", mayWrite: true };
/** Users whose job tokens may read a state in GitLab. Only a maintainer may write it. */
export const DEVELOPER = { name: "gitlab-ci-token", password: "job-of-a-developer", mayWrite: false };
export const MAINTAINER = { name: "gitlab-ci-token", password: "job-of-a-maintainer", mayWrite: true };

export async function openPipelineFixture(): Promise<PipelineFixture> {
  const simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  const state = await StateServer.start([READER, WRITER, DEVELOPER, MAINTAINER]);
  const api = await CommentApi.start(state);
  const repository = new Repository();
  return {
    simulator,
    state,
    api,
    repository,
    env: {
      HOME: repository.makeFolder("home"),
      PATH: `${repository.tools}:${process.env.PATH}`,
      TERRAFORM_BINARY_NAME: terraform,
      TF_CLI_ARGS: "-no-color",
    },
    happened: () => happenedOn(simulator),
    async close() {
      repository.remove();
      await Promise.all([simulator.close(), state.close(), api.close()]);
    },
  };
}
