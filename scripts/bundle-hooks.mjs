import { bundle } from "./bundle.mjs";

/**
 * The bundle is CommonJS, and synth copies it below the user's project. For a `.js` file, Node takes the module format from the
 * nearest package.json. With this one, the bundle does not depend on the project's `"type"`. The self-test loads the files in
 * its list.
 */
const manifest = (files) => ({ "package.json": `${JSON.stringify({ type: "commonjs", files }, null, 2)}\n` });

/**
 * Bundles the hook program. Every hook loads `main.js`. Chunks hold the HTTP client, and the schemas, which are needed at apply
 * only for declarations with tokens.
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
