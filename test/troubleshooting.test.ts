import { readFileSync } from "node:fs";

const codes = [
  ...(/export type ErrorCode =([\s\S]*?);/.exec(readFileSync("src/model/errors.ts", "utf8"))?.[1] ?? "").matchAll(/"([A-Z_]+)"/g),
].map(([, code]) => code!);
const entries = [...readFileSync("docs/troubleshooting.md", "utf8").matchAll(/^### ([A-Z_]+)\n\n(.+)/gm)];

test("the page has an entry for every code, and no other entries", () => {
  expect(codes.length).toBeGreaterThan(30);
  expect(entries.map(([, code]) => code).sort()).toEqual([...codes].sort());
});

test.each(entries.map(([, code, text]) => [code!, text!]))("%s has an entry", (_, text) => {
  expect(text.length).toBeGreaterThan(60);
});
