import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { documentedProps } from "./documented-props.mjs";

/**
 * Fills the generated parts of docs/types: the examples, and the tables of props from the docstrings of src/constructs.
 * `--check` only reports whether the pages are up to date. `--json` prints the data of the tables.
 */
const FOLDER = "docs/types";
const codes = readdirSync("src/declarations/types")
  .map((file) => basename(file, ".ts"))
  .filter((name) => name !== "index");
const props = documentedProps(codes);

if (process.argv.includes("--json")) {
  console.log(JSON.stringify(props));
} else {
  const check = process.argv.includes("--check");
  const outdated = codes.filter((code) => {
    const page = join(FOLDER, `${code}.md`);
    const before = existsSync(page) ? readFileSync(page, "utf8") : "";
    const after = filled(before, code);
    if (!check && after !== before) writeFileSync(page, after);
    return after !== before || before === "";
  });
  if (check && outdated.length > 0) {
    console.error(`${FOLDER} is out of date for ${outdated.join(", ")}: run \`npm run docs\``);
    process.exitCode = 1;
  }
}

function filled(page, code) {
  const parts = {
    example: () => `\`\`\`ts\n${readFileSync(`examples/all-types/${code}.ts`, "utf8")}\`\`\``,
    provider: () => table(props[code].provider),
    cluster: () => table(props[code].cluster),
  };
  return page.replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin, part, end) => `${begin}\n${parts[part]()}\n\n${end}`,
  );
}

function table(rows) {
  const lines = rows.map(({ path, type, optional, fallback, wire, change, text }) => [
    `\`${path}\``,
    code(type),
    optional ? code(fallback ?? "") : "required",
    wire.map(code).join(", "),
    type === "Secret" ? "nothing" : change,
    text,
  ]);
  const head = ["Prop", "Type", "Default", "Wire field", "A change", "What it is"];
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.map(escape).join(" | ")} |`).join("\n");
}

/** A default in prose begins with a dash, as in every docstring. */
function code(text) {
  if (text === "") return "";
  return text.startsWith("- ") ? text.slice(2) : `\`${text}\``;
}

function escape(cell) {
  return cell.replace(/\|/g, "\\|");
}
