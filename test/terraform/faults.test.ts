import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plays } from "./plays";
import { hooksAt } from "./processes";

/** What does not fit in a cell of the matrix (matrix.test.ts). */

plays("a token that expires in the middle is read again from its file", async (stage) => {
  const file = join(stage.workspace.folder, "token");
  const env = { CLUSTER_PLATFORM_TOKEN: undefined, CLUSTER_PLATFORM_TOKEN_FILE: file };
  let rotations = 0;
  /** The token is exchanged as a request arrives, which still carries the old one. */
  const rotate = () => {
    stage.simulator.token = `token-${++rotations}`;
    writeFileSync(file, stage.simulator.token);
  };
  rotate();
  const struck = new Set<string>();
  stage.simulator.onRequest = (request) => {
    const kind = `${request.method} ${request.path}`;
    if (struck.has(kind)) return;
    struck.add(kind);
    rotate();
    // Whether a request is authorized was decided as it arrived.
    (request as { authorized: boolean }).authorized = false;
  };
  stage.declare(["prod"]);
  await stage.applied({ env });
  stage.declare([]);
  await stage.applied({ env });
  expect(rotations).toBeGreaterThan(4);
  expect(stage.happened()).toEqual(["+vsphere", "+prod", "-prod"]);
});

plays("where the note of a killed create is lost, the next apply says so, and one with ADOPT converges", async (stage) => {
  stage.declare(["prod"]);
  stage.simulator.onResponse = async ({ method, path }) => {
    if (method !== "POST" || !path.includes("/clusters/")) return;
    for (const { pid } of await hooksAt(stage.simulator)) process.kill(pid, "SIGKILL");
  };
  await stage.failed();
  stage.simulator.onResponse = undefined;
  rmSync(join(stage.workspace.stackFolder, ".cluster-platform"), { recursive: true });
  const refused = await stage.failed();
  expect(refused).toContain("the name of cluster prod is taken");
  expect(refused).toContain("CLUSTER_PLATFORM_ADOPT=capvs/clusters/prod");
  await stage.converges({ env: { CLUSTER_PLATFORM_ADOPT: "capvs/clusters/prod" } });
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});

plays("a registration whose create is killed is found again, too", async (stage) => {
  stage.declare(["prod"]);
  stage.simulator.onResponse = async ({ method }) => {
    if (method !== "POST") return;
    stage.simulator.onResponse = undefined;
    for (const { pid } of await hooksAt(stage.simulator)) process.kill(pid, "SIGKILL");
  };
  await stage.failed();
  expect(await stage.converges()).toContain("capvs provider vsphere: created by an earlier apply that was interrupted");
  expect(stage.happened()).toEqual(["+vsphere", "+prod"]);
});

plays("what somebody else made of the name meanwhile is not taken for what a killed create left", async (stage) => {
  stage.declare(["prod"]);
  stage.simulator.onRequest = async ({ method, path }) => {
    if (method !== "POST" || !path.includes("/clusters/")) return;
    for (const { pid } of await hooksAt(stage.simulator)) process.kill(pid, "SIGKILL");
    stage.simulator.inject({ kind: "drop", method: "POST", times: 1 });
  };
  await stage.failed();
  stage.simulator.onRequest = undefined;
  stage.foreigners.add("prod", "of-somebody-else");
  const refused = await stage.failed();
  expect(refused).toContain("the name of cluster prod is taken");
  expect(refused).toContain("This stack was creating it at");
});
