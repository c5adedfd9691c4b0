import { bundle } from "./bundle.mjs";

/**
 * Node takes the module format of a `.js` file from the nearest package.json, and synth copies the bundle below the user's
 * project. With a package.json of its own, the bundle does not depend on the project's `"type"`. The self-test loads the files
 * in its list.
 */
const manifest = (files) => ({ "package.json": `${JSON.stringify({ type: "commonjs", files }, null, 2)}\n` });

/**
 * Every hook loads `main.js`. Chunks hold the HTTP client and the schemas, which only creations need.
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
