import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Nobody can import type declarations that cannot be reached from the entry points. */
export function pruneDeclarations(folder, entryPoints) {
  const reached = new Set();
  const follow = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+)"/g)) {
      const target = join(dirname(file), path);
      follow(existsSync(`${target}.d.ts`) ? `${target}.d.ts` : join(target, "index.d.ts"));
    }
  };
  for (const file of entryPoints) follow(join(folder, file));
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, file);
    if (file.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
}
