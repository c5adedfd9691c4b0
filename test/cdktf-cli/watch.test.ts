import type { ChildProcess } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Simulator, startSimulator } from "../../src/simulator";
import { secrets } from "../support/capvs";
import { accessTo, happenedOn } from "../support/service";
import { Project } from "./project";

const QUICKSTART = readFileSync("examples/quickstart/main.ts", "utf8");
const quickstart = (engine: string, hasCluster: boolean) =>
  QUICKSTART.replace("Engine.TERRAFORM_DATA", engine).replace("process.env.WITHOUT_CLUSTER === undefined", String(hasCluster));

let simulator: Simulator;
let project: Project;

beforeEach(async () => {
  simulator = await startSimulator({ provisionSeconds: 0, deleteSeconds: 0 });
  // Without a CLI configuration, Terraform looks for plugins in the stack's folder and in the registry.
  project = Project.ofThisRepository({ ...accessTo(simulator), ...secrets, TF_CLI_CONFIG_FILE: "/dev/null" });
  // cdktf writes into the file, which is a link otherwise.
  rmSync(join(project.folder, "cdktf.json"));
  const settings = JSON.parse(readFileSync("cdktf.json", "utf8")) as object;
  const own = { ...settings, app: "npx tsx main.ts", watchPattern: ["main.ts"] };
  writeFileSync(join(project.folder, "cdktf.json"), JSON.stringify(own));
});

afterEach(async () => {
  project.remove();
  await simulator.close();
});

test.each(["Engine.TERRAFORM_DATA", "Engine.PROVIDER"])(
  "cdktf watch deploys at its start and at a change, with %s",
  async (engine) => {
    const write = (hasCluster: boolean) => writeFileSync(join(project.folder, "main.ts"), quickstart(engine, hasCluster));
    let cdktf: ChildProcess | undefined;
    write(false);
    const watching = project.cdktf(["watch", "quickstart", "--auto-approve"], { started: (child) => (cdktf = child) });
    const ended = watching.then(({ output }) => Promise.reject(new Error(output)));
    const happens = async (...events: readonly string[]) => {
      while (happenedOn(simulator).join() !== events.join()) await Promise.race([delay(100), ended]);
    };
    await happens("+vsphere-eu");
    write(true);
    await happens("+vsphere-eu", "+prod");

    cdktf!.kill("SIGINT");
    await expect(ended).rejects.toThrow("prod");
    await project.stateIsFree();
    const next = await project.cdktf(["deploy", "--auto-approve"]);
    if (next.status !== 0) throw new Error(next.output);
    expect(happenedOn(simulator)).toEqual(["+vsphere-eu", "+prod"]);
  },
);
