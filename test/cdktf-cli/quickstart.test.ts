import { type Simulator, startSimulator } from "../../src/simulator";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { Project } from "./project";

/** The cdktf.json of this repository, whose app is the quickstart, driven by the real cdktf command line. */

let simulator: Simulator;
let project: Project;

beforeAll(async () => {
  simulator = await startSimulator({ provisionSeconds: 2, deleteSeconds: 0.2 });
  project = Project.ofThisRepository({
    ...accessTo(simulator),
    ...secrets,
  });
});

afterAll(async () => {
  project.remove();
  await simulator.close();
});

const succeeds = async (...args: string[]) => {
  const { status, output } = await project.cdktf(args);
  expect({ status, output }).toEqual({ status: 0, output: expect.anything() });
  return output;
};
const happened = () => happenedOn(simulator);

test("cdktf synth and diff show what would be made, and make nothing", async () => {
  expect(await succeeds("synth")).toContain("Generated Terraform code for the stacks: quickstart");
  const diff = await succeeds("diff");
  // The command line puts the path of the construct after the address.
  expect(diff).toMatch(/terraform_data\.capvs_clusters \(.*\)\["prod"\] will be created/);
  expect(diff).toMatch(/\+ "controlPlane\.count" += "3"/);
  expect(diff).toMatch(/\d to add, 0 to change, 0 to destroy/);
  expect(simulator.requests).toEqual([]);
});

test("cdktf deploy shows the hooks at work as they go on", async () => {
  const arrivals: { line: string; at: number }[] = [];
  const { status } = await project.cdktf(["deploy", "--auto-approve"], {
    started: ({ stdout }) => {
      stdout!.on("data", (data: Buffer) => arrivals.push({ line: data.toString(), at: performance.now() }));
    },
  });
  expect(status).toBe(0);
  expect(happened()).toEqual(["+vsphere-eu", "+prod"]);
  const arrivalOf = (text: string) => arrivals.find(({ line }) => line.includes(text))!.at;
  expect(arrivalOf("cluster prod: created after")).toBeGreaterThan(arrivalOf("capvs provider vsphere-eu: created after"));
  // Were the output held back until Terraform ends, all of it would come at once.
  expect(arrivalOf("cluster prod is ready after")).toBeGreaterThan(arrivalOf("cluster prod: created after") + 1_000);
});

test("a second deploy, which synthesizes anew, changes nothing", async () => {
  expect(await succeeds("deploy", "--auto-approve")).toContain("0 added, 0 changed, 0 destroyed");
  expect(happened()).toHaveLength(2);
});

test("cdktf destroy leaves the service empty", async () => {
  await succeeds("destroy", "--auto-approve");
  expect(happened().slice(2)).toEqual(["-prod", "-vsphere-eu"]);
  expect([...simulator.providers, ...simulator.clusters]).toEqual([]);
});
