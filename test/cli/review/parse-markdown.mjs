import { register } from "node:module";
import { createInterface } from "node:readline";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/**
 * Reads Markdown from standard input, one JSON string per line, and parses it in GitHub's dialect. Prints one line of JSON for
 * each: tables, unbalanced HTML, text that could become a link or a mention, and Mermaid graphs.
 */
const BROWSER_ONLY = "export default { addHook() {}, sanitize: (text) => text, isSupported: false }";
const asModule = (source) => `data:text/javascript,${encodeURIComponent(source)}`;
// Mermaid needs a browser only for the library that sanitizes drawings.
register(
  asModule(
    `export const resolve = (name, context, next) => name === "dompurify" ? { url: ${JSON.stringify(asModule(BROWSER_ONLY))}, shortCircuit: true } : next(name, context);`,
  ),
);
const { default: mermaid } = await import("mermaid");

const VOID = new Set(["br", "hr", "img"]);

let rendered;
let open;

for await (const line of createInterface({ input: process.stdin })) {
  rendered = { headings: [], tables: [], links: [], bareText: "", code: [], comments: [], graphs: [], details: 0, faults: [] };
  open = [];
  visit(fromMarkdown(JSON.parse(line), { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  if (open.length > 0) rendered.faults.push(`<${open.join("> <")}> never closed`);
  for (const graph of rendered.graphs.splice(0)) rendered.graphs.push(await parsed(graph));
  process.stdout.write(`${JSON.stringify(rendered)}\n`);
}

function visit(node) {
  switch (node.type) {
    case "html":
      html(node.value);
      break;
    case "text":
      if (!open.includes("code")) rendered.bareText += `${node.value}\n`;
      else rendered.code.push(node.value);
      break;
    case "inlineCode":
      rendered.code.push(node.value);
      break;
    case "code":
      if (node.lang === "mermaid") rendered.graphs.push(node.value);
      break;
    case "link":
      rendered.links.push(node.url);
      break;
    case "heading":
      rendered.headings.push(node.depth);
      break;
    case "table":
      rendered.tables.push(node.children.map(({ children }) => children.length));
      break;
  }
  for (const child of node.children ?? []) visit(child);
}

function html(text) {
  if (text.startsWith("<!--")) {
    rendered.comments.push(text);
    return;
  }
  for (const [, end, name, , between] of `${text}`.matchAll(/<(\/?)([a-z]+)([^>]*)>([^<]*)/g)) {
    if (!end && !VOID.has(name)) open.push(name);
    if (!end && name === "details") rendered.details++;
    if (end && open.pop() !== name) rendered.faults.push(`</${name}> without its beginning`);
    if (between.trim() && !open.includes("code")) rendered.bareText += `${between}\n`;
  }
  const rest = text.replace(/<\/?[a-z]+[^<>]*>/g, "");
  if (/[<>]/.test(rest)) rendered.faults.push(`stray markup in ${JSON.stringify(text.slice(0, 80))}`);
}

async function parsed(graph) {
  await mermaid.parse(graph);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(graph);
  return {
    nodes: [...db.getVertices().values()].map(({ text }) => entitiesBack(text)),
    edges: db.getEdges().map(({ start, end }) => [start, end]),
  };
}

/** Mermaid replaces entities with placeholders until it draws. */
function entitiesBack(text) {
  return text.replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code)));
}
