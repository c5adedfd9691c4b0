import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, transform } from "esbuild";

/**
 * What the libraries have for uses that hooks have not. In a program that is started once per object, it would cost
 * more than the object's own work: docs/performance.md has the figures.
 */
const LEFT_OUT = [
  // HTTP/2, which is not spoken here and loads node:http2, TLS and crypto.
  { module: /undici\/lib\/dispatcher\/client-h2\.js$/, contents: "module.exports = undefined;" },
  // Forms and streams as bodies; ours are strings.
  { module: /undici\/lib\/web\/fetch\/body\.js$/, contents: "module.exports = {};" },
  // The words of 50 languages.
  { module: /zod\/v4\/locales\/index\.js$/, contents: 'export { default as en } from "./en.js";' },
];

/**
 * The bundle is CommonJS, and synthesis copies it below the user's project. Node decides what a `.js` file is by the
 * nearest package.json. With one of its own, the bundle does not depend on those above it, such as a project's
 * `"type": "module"`. Its list of files is what the self-test loads.
 */
const manifest = (files) => ({ name: "package.json", text: `${JSON.stringify({ type: "commonjs", files }, null, 2)}\n` });

/**
 * Bundles the hooks into `main.js`, which is all that a hook without work of its own loads, and chunks that it loads on
 * demand: the HTTP client, and the schemas, which only declarations with tokens need at apply time.
 */
export async function bundleHooks(folder) {
  const { outputFiles } = await build({
    entryPoints: ["src/hooks/main.ts"],
    outdir: folder,
    bundle: true,
    splitting: true,
    // Only ES modules are split, and only CommonJS starts fast: it is translated below.
    format: "esm",
    platform: "node",
    target: "node20.18",
    mainFields: ["module", "main"],
    legalComments: "linked",
    logLevel: "warning",
    write: false,
    plugins: [{ name: "left-out", setup: leaveOut }],
  });
  mkdirSync(folder, { recursive: true });
  const bundled = outputFiles.map(({ path, text }) => ({ name: basename(path), text }));
  const chunks = bundled.map(({ name }) => name).filter((name) => name.endsWith(".js") && name !== "main.js");
  const files = [manifest(chunks.sort()), ...bundled];
  // The entry last: whoever runs it meanwhile finds every chunk.
  for (const { name, text } of files.sort((one, other) => Number(one.name === "main.js") - Number(other.name === "main.js"))) {
    writeFileSync(join(folder, name), name.endsWith(".js") ? await toCommonJs(name, text) : text);
  }
  const built = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(folder).filter((name) => !built.has(name))) rmSync(join(folder, name));
}

function leaveOut({ onLoad }) {
  for (const { module, contents } of LEFT_OUT) onLoad({ filter: module }, () => ({ contents }));
}

/** In the entry, our own code, names are left as they are, so that the stack of a defect can be read. */
async function toCommonJs(name, text) {
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20.18",
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: name !== "main.js",
    legalComments: "none",
  });
  return code;
}
