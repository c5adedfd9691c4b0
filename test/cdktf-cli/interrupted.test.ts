import { type Simulator, startSimulator } from "../../src/simulator";
import { secrets } from "../support/capvs";
import { accessTo } from "../support/service";
import { Project } from "./project";

let simulator: Simulator;
let project: Project;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  project = Project.ofThisRepository({
    ...accessTo(simulator),
    ...secrets,
  });
});

afterEach(async () => {
  project.remove();
  await simulator.close();
});

test("the next deploy continues the create of a stopped deploy, although it synthesizes again", async () => {
  simulator.inject({ kind: "hang", when: "after", method: "POST", path: "/api/v1/platform/providers/clusters" });
  const stopped = await project.cdktf(["deploy", "--auto-approve"], {
    started: (cdktf) => {
      simulator.onResponse = ({ method, path }) => {
        if (method === "POST" && path.includes("/clusters/")) cdktf.kill("SIGINT");
      };
    },
  });
  expect(stopped.output).not.toContain("cluster prod: created");
  await project.stateIsFree();

  simulator.heal();
  const next = await project.cdktf(["deploy", "--auto-approve"]);
  expect(next.output).toContain("cluster prod: created by an earlier apply that was interrupted");
  expect(next.status).toBe(0);
  expect(simulator.events.map(({ action, name }) => `${action} ${name}`)).toEqual(["created vsphere-eu", "created prod"]);
});
