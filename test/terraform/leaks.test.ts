import { spawn } from "node:child_process";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { formsOf, leaks, watchProcesses } from "./leaks";

const secret = 'pa55"<&\\word é';

test.each(Object.entries(formsOf(secret)))("the search finds a secret as %s", (form, text) => {
  const found = leaks([{ name: "file", content: `before ${text} after` }], { secret });
  expect(found).toContain(`secret in file as ${form}`);
});

test("the search finds a secret that Terraform has compressed", () => {
  const content = `{"ENTRY":"${gzipSync(JSON.stringify({ a: secret })).toString("base64")}"}`;
  expect(leaks([{ name: "file", content }], { secret })).toContain("secret in file as JSON");
});

test("the search finds nothing in text without secrets", () => {
  expect(leaks([{ name: "file", content: 'pa55"<&\\wor é [hidden]' }], { secret })).toEqual([]);
});

test("the search has the command lines of short processes", async () => {
  const stop = watchProcesses();
  await once(spawn("sleep", ["0.3137"]), "close");
  expect(stop().content).toContain("sleep 0.3137");
});
