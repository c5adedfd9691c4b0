import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { engines } from "../../package.json";

/** `engines` has the oldest Node, and the matrix of the workflow has the tested ones. */
const oldest = engines.node.replace(">=", "");
const [, matrix] = /node: \[(.*)\]/.exec(readFileSync(".github/workflows/test.yml", "utf8"))!;
const tested = matrix!.split(", ");
const newer = JSON.parse(
  execFileSync(
    process.execPath,
    ["-e", 'import("./scripts/new-node.mjs").then((m) => console.log(JSON.stringify(m.NEWER_NODES)))'],
    {
      encoding: "utf8",
    },
  ),
) as string[];

const versionsIn = (file: string, place: RegExp) => [...readFileSync(file, "utf8").matchAll(place)].map(([, version]) => version);
const inFolder = (folder: string) =>
  readdirSync(folder).flatMap((file) => versionsIn(`${folder}/${file}`, /node-version: (\d+)/g));

test("README says which versions of Node the tests run on", () => {
  const list = `${tested.slice(0, -1).join(", ")} and ${tested.at(-1)}`;
  const readme = readFileSync("README.md", "utf8");
  for (const part of [`Node ${oldest}`, `tested on ${list}`]) expect(readme).toContain(part);
  expect(tested[0]).toBe(oldest.split(".")[0]);
  expect(newer.map((version) => version.split(".")[0])).toEqual(tested.slice(-newer.length));
});

test("the project's own workflows run on the oldest Node, and the example pipelines on a newer one that is tested", () => {
  expect(new Set(inFolder(".github/workflows"))).toEqual(new Set([tested[0]]));
  const pipelines = [
    ...inFolder("examples/pipelines/github"),
    ...versionsIn("examples/pipelines/gitlab/Dockerfile", /FROM node:(\d+)/g),
    ...versionsIn("docs/pipelines.md", /node-version: (\d+)/g),
  ];
  expect(pipelines.length).toBeGreaterThan(8);
  expect(new Set(pipelines)).toEqual(new Set([newer[0]!.split(".")[0]]));
});
