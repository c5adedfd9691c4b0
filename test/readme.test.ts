import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file)),
];

test.each(pages)("%s quotes examples as they are", (page) => {
  const quotes = [...readFileSync(page, "utf8").matchAll(/<!-- (examples\/\S+) -->\n```ts\n([\s\S]*?)```/g)];
  if (page === "README.md") expect(quotes.length).toBeGreaterThan(0);
  for (const [, file, text] of quotes) expect(text).toBe(readFileSync(file!, "utf8"));
});

test.each(pages)("%s links to files that are there", (page) => {
  const targets = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) =>
    join(dirname(page), target!),
  );
  expect(targets.filter((target) => !existsSync(target))).toEqual([]);
});
