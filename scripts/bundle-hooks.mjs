import { bundle } from "./bundle.mjs";

/**
 * The bundle is CommonJS, and synthesis copies it below the user's project. Node decides what a `.js` file is by the
 * nearest package.json. With one of its own, the bundle does not depend on those above it, such as a project's
 * `"type": "module"`. Its list of files is what the self-test loads.
 */
const manifest = (files) => ({ "package.json": `${JSON.stringify({ type: "commonjs", files }, null, 2)}\n` });

/**
 * Bundles the hooks: into `main.js`, which is all that a hook without work of its own loads, and chunks with the HTTP
 * client, and with the schemas, which only declarations with tokens need at apply time.
 */
export async function bundleHooks(folder) {
  await bundle({
    entry: "src/hooks/main.ts",
    folder,
    extension: ".js",
    readable: (name) => name === "main.js",
    others: manifest,
  });
}
