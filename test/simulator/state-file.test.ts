import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TypeCode } from "../../src/model/provider-type";
import { type Simulator, startSimulator } from "../../src/simulator";
import { goldens } from "../goldens";
import { clusterBody, CLUSTERS, NEW_CLUSTER, NEW_PROVIDER, providerBody, PROVIDERS } from "./bodies";
import { call, Clock } from "./call";

let folder: string;
let stateFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simulator-"));
  stateFile = join(folder, "state.json");
});

const running: Simulator[] = [];
async function start(options: Parameters<typeof startSimulator>[0] = {}): Promise<Simulator> {
  const simulator = await startSimulator({ stateFile, token: "t", provisionSeconds: 0, deleteSeconds: 0, ...options });
  running.push(simulator);
  return simulator;
}
afterEach(async () => {
  await Promise.allSettled(running.splice(0).map((simulator) => simulator.close()));
  rmSync(folder, { recursive: true, force: true });
});

test("a restart restores every object of every type, and the file has no secret", async () => {
  const first = await start();
  for (const [type, { provider, cluster }] of Object.entries(goldens)) {
    await call(first, "POST", `${PROVIDERS}/${type}`, provider.minimal.body);
    await call(first, "POST", `${PROVIDERS}/clusters/${type}`, cluster.minimal.body);
  }
  const lists = async (simulator: Simulator) => [
    (await call(simulator, "GET", PROVIDERS)).text,
    (await call(simulator, "GET", CLUSTERS)).text,
  ];
  const before = await lists(first);
  await first.close();

  const text = readFileSync(stateFile, "utf8");
  expect(text).toContain("vs-prod");
  expect(text).not.toContain("value of ");
  expect(statSync(stateFile).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["state.json"]);

  const second = await start();
  expect(await lists(second)).toEqual(before);
  expect(second.events).toEqual([]);
  for (const type of Object.keys(goldens) as TypeCode[]) {
    const { name } = goldens[type].provider.minimal.declaration as { name: string };
    expect((await call(second, "DELETE", `${PROVIDERS}/${type}/${name}`)).status).toBe(409);
  }
});

test("an answered change is in the file already, so that a crash loses nothing", async () => {
  const simulator = await start();
  await call(simulator, "POST", NEW_PROVIDER, providerBody());
  await Promise.all(["a", "b", "c"].map((name) => call(simulator, "POST", NEW_CLUSTER, clusterBody(name))));
  expect(
    saved()
      .clusters.map(({ body }) => body.cluster.clusterName)
      .sort(),
  ).toEqual(["a", "b", "c"]);
  await call(simulator, "DELETE", `${CLUSTERS}/b`);
  expect(
    saved()
      .clusters.map(({ body }) => body.cluster.clusterName)
      .sort(),
  ).toEqual(["a", "c"]);
});

test("provisioning and deletion continue after a restart", async () => {
  const clock = new Clock();
  const first = await start({ provisionSeconds: 40, deleteSeconds: 40, now: clock.now });
  for (const name of ["young", "leaving"]) first.add("clusters", "capvs", clusterBody(name));
  await call(first, "DELETE", `${CLUSTERS}/leaving`);
  await first.close();

  clock.pass(39);
  const second = await start({ provisionSeconds: 40, now: clock.now });
  expect((await call(second, "POST", NEW_CLUSTER, clusterBody("leaving"))).status).toBe(409);
  clock.pass(1);
  expect((await call(second, "GET", CLUSTERS)).json).toMatchObject({
    items: [{ clusterName: "young", phase: "Provisioned" }],
    count: 1,
  });
});

test.each([
  ["", "is damaged (Unexpected end of JSON input)"],
  ['{"version":1,"providers":[],"clu', "is damaged ("],
  ["[]", "is damaged ('' must be an object, but is an array)"],
  ['{"version":2,"providers":[],"clusters":[]}', "is damaged ('version' must be 1)"],
  ['{"version":1,"providers":[{}],"clusters":[]}', "is damaged ('providers[0].type' must be one of capvs, "],
  [
    '{"version":1,"providers":[],"clusters":[{"type":"capvs","createdAt":1,"body":{}}]}',
    "'cluster' must be an object, but is missing",
  ],
])("a damaged file is refused and not changed: %s", async (text, says) => {
  writeFileSync(stateFile, text);
  await expect(startSimulator({ stateFile })).rejects.toMatchObject({
    code: "INVALID_DOCUMENT",
    message: expect.stringMatching(
      /^the state file .*state\.json is damaged .*; it was not changed; repair it, or move it away to start empty$/,
    ) as string,
  });
  await expect(startSimulator({ stateFile })).rejects.toThrow(says);
  expect(readFileSync(stateFile, "utf8")).toBe(text);
});

test("a file that cannot be read or written is refused at the start", async () => {
  mkdirSync(stateFile);
  await expect(startSimulator({ stateFile })).rejects.toMatchObject({
    code: "INVALID_SETTING",
    message: expect.stringContaining(`the state file ${stateFile} cannot be read: EISDIR`) as string,
  });
  const nowhere = join(folder, "no", "state.json");
  await expect(startSimulator({ stateFile: nowhere })).rejects.toMatchObject({
    code: "INVALID_SETTING",
    message: expect.stringContaining(`the state file ${nowhere} cannot be written: ENOENT`) as string,
  });
});

test("a change that cannot be saved is answered with 507, stays, and is saved with the next one", async () => {
  const simulator = await start();
  await call(simulator, "POST", NEW_PROVIDER, providerBody());
  rmSync(folder, { recursive: true });
  const failed = await call(simulator, "POST", NEW_CLUSTER, clusterBody("prod"));
  expect(failed).toMatchObject({
    status: 507,
    json: {
      error: {
        code: "STATE_NOT_SAVED",
        message: expect.stringMatching(
          /^the change was made but could not be saved, .* lost if the service restarts .*: ENOENT/,
        ) as string,
      },
    },
  });
  expect((await call(simulator, "GET", CLUSTERS)).json).toMatchObject({ items: [{ clusterName: "prod" }] });
  expect((await call(simulator, "DELETE", `${CLUSTERS}/prod`)).status).toBe(507);

  mkdirSync(folder);
  expect((await call(simulator, "POST", NEW_CLUSTER, clusterBody("test"))).status).toBe(201);
  expect(saved()).toMatchObject({ providers: [{ config: { name: "eu" } }], clusters: [{ body: clusterBody("test") }] });
});

test("a failed write leaves nothing behind", async () => {
  const simulator = await start();
  rmSync(stateFile);
  mkdirSync(stateFile);
  expect((await call(simulator, "POST", NEW_PROVIDER, providerBody())).status).toBe(507);
  expect(readdirSync(folder)).toEqual(["state.json"]);
  rmSync(stateFile, { recursive: true });
});

test("a file that others could read is private after it is written", async () => {
  writeFileSync(stateFile, '{"version":1,"providers":[],"clusters":[]}');
  chmodSync(stateFile, 0o644);
  await start();
  expect(statSync(stateFile).mode & 0o777).toBe(0o600);
});

test("a second simulator on the same file makes the first one refuse to overwrite it", async () => {
  const first = await start();
  await call(first, "POST", NEW_PROVIDER, providerBody("a"));
  const second = await start();
  await call(second, "POST", NEW_PROVIDER, providerBody("b"));
  expect(await call(first, "POST", NEW_PROVIDER, providerBody("c"))).toMatchObject({
    status: 507,
    json: { error: { message: expect.stringContaining("another program has written it since") as string } },
  });
  await expect(first.close()).rejects.toMatchObject({
    code: "INVALID_SETTING",
    message: `the state file ${stateFile} cannot be written: another program has written it since, perhaps a second simulator; give each simulator a file of its own`,
  });
  expect((await call(second, "DELETE", `${NEW_PROVIDER}/a`)).status).toBe(204);
  expect(saved().providers).toMatchObject([{ config: { name: "b" } }]);
});

function saved() {
  return JSON.parse(readFileSync(stateFile, "utf8")) as {
    providers: unknown[];
    clusters: { body: { cluster: { clusterName: string } } }[];
  };
}
