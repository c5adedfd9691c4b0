import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { PREFIX, SETTINGS } from "../../src/cli/doctor/settings";
import { pages, prose } from "./pages";

test.each(pages)("%s quotes examples unchanged", (page) => {
  const quotes = [...readFileSync(page, "utf8").matchAll(/<!-- (examples\/\S+) -->\n```\w*\n([\s\S]*?)```/g)];
  if (page === "README.md") expect(quotes.length).toBeGreaterThan(0);
  // A mark that is not directly before its block would check nothing.
  expect(quotes).toHaveLength(readFileSync(page, "utf8").match(/^<!-- examples\//gm)?.length ?? 0);
  for (const [, file, text] of quotes) expect(text).toBe(readFileSync(file!, "utf8"));
});

test.each(pages)("%s links to existing files and headings", (page) => {
  const links = [...prose(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target]) => target!);
  // The links above are found in the usual form only, so other forms are not allowed.
  expect(prose(page)).not.toMatch(/\]\[[^\]]*\]|^\[[^\]]+\]: |\]\([^)\s]+\s+"/m);
  const broken = links.filter((link) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : normalize(join(dirname(page), path));
    return !existsSync(target) || (anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor));
  });
  expect(broken).toEqual([]);
});

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join("src", file), "utf8"));
const variables = new Set(
  sources.flatMap((text) => [...text.matchAll(/CLUSTER_PLATFORM_(?!HOOK_)[A-Z_]*[A-Z]/g)]).map(([name]) => name),
);

test.each(pages)("%s names only variables that the package reads", (page) => {
  const named = [...readFileSync(page, "utf8").matchAll(/CLUSTER_PLATFORM_(?!HOOK_)[A-Z_]*[A-Z]/g)].map(([name]) => name);
  expect(named.filter((name) => !variables.has(name))).toEqual([]);
});

test("the page of settings and doctor know every variable", () => {
  expect(SETTINGS.map((name) => `${PREFIX}${name}`).sort()).toEqual([...variables].sort());
  const page = readFileSync("docs/settings.md", "utf8");
  expect([...variables].filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

test("the page of settings has every variable that src reads", () => {
  const reads = /\benv\.([A-Z][A-Z_]+)|\(env, "([A-Z_]+)"/g;
  const read = new Set(sources.flatMap((text) => [...text.matchAll(reads)]).map(([, one, other]) => one ?? other!));
  const page = readFileSync("docs/settings.md", "utf8");
  // Terraform sets those of its plugins.
  const missing = [...read].filter((name) => !name.startsWith("PLUGIN_") && !page.includes(name));
  expect({ missing, isFound: read.has("NO_COLOR") && read.has("GITHUB_TOKEN") }).toEqual({ missing: [], isFound: true });
});

function anchorsOf(page: string): Set<string> {
  const headings = [...prose(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!);
  const seen = new Map<string, number>();
  return new Set(
    headings.map((heading) => {
      const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
      const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}
