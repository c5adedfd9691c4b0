import { build } from "esbuild";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Bundles the simulated world (test/world), because a bundle loads and runs faster.
 * @param broken a version of the code that is broken on purpose, as in test/world/broken.json
 * @returns the path of the bundle
 */
export async function bundleWorld(broken) {
  // As deep below the root as the constructs that look for `dist`.
  const outfile = resolve(".cache", "world", "bundles", broken ? `${broken.name.replace(/[^a-z0-9]+/gi, "-")}.js` : "main.js");
  const { outputFiles } = await build({
    entryPoints: ["test/world/main.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    outfile,
    packages: "external",
    sourcemap: true,
    logLevel: "error",
    write: false,
    plugins: broken ? [breaking(broken)] : [],
  });
  mkdirSync(dirname(outfile), { recursive: true });
  // Several runs bundle at the same time. An empty file, which is a correct program, would play nothing and pass.
  for (const { path, contents } of outputFiles) {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, contents);
    renameSync(draft, path);
  }
  return outfile;
}

function breaking({ name, file, from, to }) {
  return {
    name: "breaking",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== resolve(file)) return undefined;
        const text = readFileSync(path, "utf8");
        if (text.split(from).length !== 2) throw new Error(`broken version '${name}': ${file} must have its text exactly once`);
        return { contents: text.replace(from, () => to), loader: "ts", resolveDir: join(path, "..") };
      });
    },
  };
}
