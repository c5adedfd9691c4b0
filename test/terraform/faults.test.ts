import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testInRest, testOnBackends } from "./test-on-backends";
import { hooksAt } from "./processes";

/** Failures that do not fit into a cell of the matrix (matrix.ts). */

testOnBackends("a token that expires during an apply is read again from its file", async (fixture) => {
  const file = join(fixture.workspace.folder, "token");
  const env = { CLUSTER_PLATFORM_TOKEN: undefined, CLUSTER_PLATFORM_TOKEN_FILE: file };
  let rotations = 0;
  /** Rotates the token when a request arrives, which still has the old one. */
  const rotate = () => {
    fixture.simulator.token = `token-${++rotations}`;
    writeFileSync(file, fixture.simulator.token);
  };
  rotate();
  const struck = new Set<string>();
  fixture.simulator.onRequest = (request) => {
    const kind = `${request.method} ${request.path}`;
    if (struck.has(kind)) return;
    struck.add(kind);
    rotate();
    // The simulator has already checked the old token.
    (request as { authorized: boolean }).authorized = false;
  };
  fixture.declare(["prod"]);
  await fixture.applied({ env });
  fixture.declare([]);
  await fixture.applied({ env });
  expect(rotations).toBeGreaterThan(4);
  expect(fixture.happened()).toEqual(["+vsphere", "+prod", "-prod"]);
});

testInRest("an object that somebody else created meanwhile is not mistaken for that of a killed create", async (fixture) => {
  fixture.declare(["prod"]);
  fixture.simulator.onRequest = async ({ method, path }) => {
    if (method !== "POST" || !path.includes("/clusters/")) return;
    for (const { pid } of await hooksAt(fixture.simulator)) process.kill(pid, "SIGKILL");
    fixture.simulator.inject({ kind: "drop", method: "POST", times: 1 });
  };
  await fixture.failed();
  fixture.simulator.onRequest = undefined;
  fixture.foreigners.add("prod", "of-somebody-else");
  const refused = await fixture.failed();
  expect(refused).toContain("the service already has cluster prod");
  expect(refused).toContain("This stack sent a request to create it at");
});
