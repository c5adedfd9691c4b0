import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, transform } from "esbuild";

/**
 * What the libraries have for uses that this package has not. In a program that Terraform starts again and again, it
 * would cost more than the program's own work: docs/performance.md has the figures.
 */
const LEFT_OUT = [
  // HTTP/2, which is not spoken with the service and loads node:http2, TLS and crypto.
  { module: /undici\/lib\/dispatcher\/client-h2\.js$/, contents: "module.exports = undefined;" },
  // Forms and streams as bodies; ours are strings.
  { module: /undici\/lib\/web\/fetch\/body\.js$/, contents: "module.exports = {};" },
  // The words of 50 languages.
  { module: /zod\/v4\/locales\/index\.js$/, contents: 'export { default as en } from "./en.js";' },
];

/**
 * Bundles a program into one file that it starts with, and chunks that it loads on demand. The same sources give the same
 * bytes wherever they are.
 *
 * @param {object} program
 * @param {string} program.entry its first file, `main.ts`
 * @param {string} program.folder gets the files of the bundle, and loses all others
 * @param {".js" | ".cjs"} program.extension of the files
 * @param {(name: string) => boolean} program.readable whether a file keeps the names of functions, for the stacks of defects
 * @param {(chunks: string[]) => Record<string, string>} program.others further files of the folder, by name
 */
export async function bundle({ entry, folder, extension, readable, others }) {
  const main = `main${extension}`;
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: folder,
    outExtension: { ".js": extension },
    bundle: true,
    splitting: true,
    // Only ES modules are split, and only CommonJS starts fast: it is translated below.
    format: "esm",
    platform: "node",
    target: "node20.18",
    mainFields: ["module", "main"],
    // Paths are part of what is hashed.
    preserveSymlinks: true,
    legalComments: "linked",
    logLevel: "warning",
    write: false,
    plugins: [{ name: "left-out", setup: leaveOut }],
  });
  mkdirSync(folder, { recursive: true });
  const bundled = outputFiles.map(({ path, text }) => ({ name: basename(path), text }));
  const chunks = bundled.map(({ name }) => name).filter((name) => name.endsWith(extension) && name !== main);
  const files = [...bundled, ...Object.entries(others(chunks.sort())).map(([name, text]) => ({ name, text }))];
  // The entry last: whoever runs it meanwhile finds every chunk.
  for (const { name, text } of files.sort((one, other) => Number(one.name === main) - Number(other.name === main))) {
    writeFileSync(join(folder, name), name.endsWith(extension) ? await toCommonJs(text, !readable(name)) : text);
  }
  const built = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(folder).filter((name) => !built.has(name))) rmSync(join(folder, name));
}

function leaveOut({ onLoad }) {
  for (const { module, contents } of LEFT_OUT) onLoad({ filter: module }, () => ({ contents }));
}

async function toCommonJs(text, minifyIdentifiers) {
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20.18",
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers,
    legalComments: "none",
  });
  return code;
}
