import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, transform } from "esbuild";

/**
 * Parts of libraries that this package does not use. Terraform starts the bundled programs again and again, and loading these
 * parts would take longer than the programs' own work. bench/README.md has the figures.
 */
const LEFT_OUT = [
  // HTTP/2, which would load node:http2, TLS and crypto.
  { module: /undici\/lib\/dispatcher\/client-h2\.js$/, contents: "module.exports = undefined;" },
  // Forms and streams as request bodies.
  { module: /undici\/lib\/web\/fetch\/body\.js$/, contents: "module.exports = {};" },
];

/**
 * Bundles a program into a main file and chunks that it loads on demand. The same sources give the same bytes in any folder.
 *
 * @param {object} program
 * @param {string} program.entry the source file, `main.ts`
 * @param {string} program.folder the output folder. Other files in it are deleted
 * @param {".js" | ".cjs"} program.extension the extension of the output files
 * @param {(name: string) => boolean} program.readable whether an output file keeps the names of functions, for stack traces of
 * defects
 * @param {(chunks: string[]) => Record<string, string | Uint8Array>} program.others further output files by name
 */
export async function bundle({ entry, folder, extension, readable, others }) {
  const main = `main${extension}`;
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: folder,
    outExtension: { ".js": extension },
    bundle: true,
    splitting: true,
    // esbuild splits only ES modules, but CommonJS starts faster. `toCommonJs` translates the output.
    format: "esm",
    platform: "node",
    target: "node20.18",
    mainFields: ["module", "main"],
    // Otherwise the hashes would depend on the folder.
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
  // The main file is written last, so a running program always finds its chunks.
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
