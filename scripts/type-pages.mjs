import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { documentedProps } from "./documented-props.mjs";

/**
 * Fills the generated parts of docs/types: the examples, and the tables of props from the docstrings of src/constructs. README.md
 * has the props that most types share. The page of a type has its own, and those that differ from the shared ones.
 * `--check` only reports whether the pages are up to date. `--json` prints the data of the tables.
 */
const FOLDER = "docs/types";
const SHARED = "README";
const codes = readdirSync("src/declarations/types")
  .map((file) => basename(file, ".ts"))
  .filter((name) => name !== "index");
const props = documentedProps(codes);

if (process.argv.includes("--json")) {
  console.log(JSON.stringify(props));
} else {
  const check = process.argv.includes("--check");
  const shared = { provider: sharedRows("provider"), cluster: sharedRows("cluster") };
  const outdated = [SHARED, ...codes].filter((name) => {
    const page = join(FOLDER, `${name}.md`);
    const before = existsSync(page) ? readFileSync(page, "utf8") : "";
    const after = filled(before, name === SHARED ? partsOfAll(shared) : partsOf(name, shared));
    if (!check && after !== before) writeFileSync(page, after);
    return after !== before || before === "";
  });
  if (check && outdated.length > 0) {
    console.error(`${FOLDER} is out of date for ${outdated.join(", ")}: run \`npm run docs\``);
    process.exitCode = 1;
  }
}

function filled(page, parts) {
  return page.replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin, part, end) => `${begin}\n${parts[part]()}\n\n${end}`,
  );
}

function partsOf(code, shared) {
  const own = (kind) => props[code][kind].filter((row) => !shared[kind].some((other) => other.key === keyOf(row, code)));
  return {
    example: () => `\`\`\`ts\n${readFileSync(`examples/all-types/${code}.ts`, "utf8")}\`\`\``,
    provider: () => table(own("provider")),
    cluster: () => table(ofAllNodes(own("cluster"))),
  };
}

function partsOfAll({ provider, cluster }) {
  const both = provider.filter(({ key }) => cluster.some((other) => other.key === key));
  const onlyIn = (rows) => table(rows.filter(({ key }) => !both.some((other) => other.key === key)));
  return { all: () => table(both), provider: () => onlyIn(provider), cluster: () => onlyIn(cluster) };
}

/** The props that more than half of the types have with the same meaning, in the order of the first type that has them. */
function sharedRows(kind) {
  const rows = codes.flatMap((code) => props[code][kind].map((row) => ({ code, row })));
  return [...grouped(rows, ({ row, code }) => keyOf(row, code))]
    .filter(([, group]) => group.length > codes.length / 2)
    .map(([key, group]) => {
      const { path } = group[0].row;
      const without = codes.filter((code) => !props[code][kind].some((row) => row.path === path));
      const text = [group[0].row.text, ...(without.length > 0 ? [`Not for ${without.join(", ")}.`] : [])].join(" ");
      return { ...group[0].row, key, text, type: typeOf(group[0].row, group[0].code), wire: wiresOf(group) };
    });
}

/** What makes a prop the same in two types. The wire field may differ. */
function keyOf(row, code) {
  return JSON.stringify([row.path, typeOf(row, code), row.optional, row.fallback, row.text]);
}

/** The constructs of a type have its code in their names. */
function typeOf({ type }, code) {
  return type.replace(`${code[0].toUpperCase()}${code.slice(1)}`, "Cap…");
}

/** The wire field of most types, then those of the others. */
function wiresOf(group) {
  const byWire = [...grouped(group, ({ row }) => row.wire.map(field).join(", "))];
  const [[usual], ...others] = byWire.sort(([, one], [, other]) => other.length - one.length);
  const exceptions = others.map(([wire, types]) => `${types.map(({ code }) => code).join(", ")}: ${wire}`);
  return exceptions.length > 0 ? [`${usual} (${exceptions.join("; ")})`] : group[0].row.wire;
}

function grouped(all, keyOf) {
  const groups = new Map();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** One row for a prop that control plane and workers have alike. */
function ofAllNodes(rows) {
  const like = ({ path }, beginning) =>
    rows.find((other) => other.path === path.replace(/^(controlPlane|workers\[\])/, beginning));
  const isAlike = (row) => {
    const [one, other] = [like(row, "controlPlane"), like(row, "workers[]")];
    return one && other && one !== other && rowOf(one).slice(1).join() === rowOf(other).slice(1).join();
  };
  return rows
    .filter((row) => !(row.path.startsWith("workers[]") && isAlike(row)))
    .map((row) => (isAlike(row) ? { ...row, also: like(row, "workers[]").path } : row));
}

function table(rows) {
  const head = ["Prop", "Type and default", "Wire field", "What it is"];
  return [head, head.map(() => "---"), ...rows.map(rowOf)].map((cells) => `| ${cells.map(escape).join(" | ")} |`).join("\n");
}

function rowOf({ path, also, type, optional, fallback, wire, text }) {
  const names = [path, ...(also ? [also] : [])].map((name) => `\`${name}\``).join(", ");
  return [names, withDefault(type, optional, fallback), wire.map(field).join(", "), text];
}

/** A default in prose begins with a dash, as in every docstring. */
function withDefault(type, optional, fallback = "- optional") {
  if (!optional) return `\`${type}\``;
  return fallback.startsWith("- ") ? `\`${type}\`: ${fallback.slice(2)}` : `\`${type} = ${fallback}\``;
}

/** A wire field that is no longer a plain path has its marks already. */
function field(wire) {
  return wire.includes("`") ? wire : `\`${wire}\``;
}

function escape(cell) {
  return cell.replace(/\|/g, "\\|");
}
