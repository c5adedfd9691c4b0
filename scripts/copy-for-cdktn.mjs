import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";

const IMPORTED = /\b(?:from|import|require)\s*\(?"(\.[^"]+)"/g;
const CDKTF = /"cdktf(?=["/])/g;
const KINDS = [".js", ".d.ts"];

/**
 * Makes entry points for cdktn, in the folder `cdktn` of the build: copies of the modules that import cdktf and of those that
 * import these. The copies share all other modules.
 * @param entryPoints paths in the folder, without ending
 * @param chooser a shared module that loads one of the copies by itself
 */
export function copyForCdktn(folder, entryPoints, chooser) {
  rmSync(join(folder, "cdktn"), { recursive: true, force: true });

  const textsOf = (module) =>
    KINDS.map((kind) => [kind, join(folder, module + kind)])
      .filter(([, file]) => existsSync(file))
      .map(([kind, file]) => [kind, readFileSync(file, "utf8")]);
  const importedBy = (module, path) => {
    const file = join(dirname(module), path);
    return existsSync(join(folder, `${file}.js`)) ? file : join(file, "index");
  };
  const reachedFrom = (module, reached = new Set()) => {
    if (module === chooser || reached.has(module)) return reached;
    reached.add(module);
    for (const [, text] of textsOf(module))
      for (const [, path] of text.matchAll(IMPORTED)) reachedFrom(importedBy(module, path), reached);
    return reached;
  };
  const namesCdktf = (module) => textsOf(module).some(([, text]) => text.search(CDKTF) >= 0);

  const all = [...new Set(entryPoints.flatMap((entryPoint) => [...reachedFrom(entryPoint)]))];
  const copied = new Set(all.filter((module) => [...reachedFrom(module)].some(namesCdktf)));
  for (const module of copied) {
    const copy = join("cdktn", module);
    const moved = (statement, path) => {
      const imported = importedBy(module, path);
      return copied.has(imported) ? statement : statement.replace(path, relative(dirname(copy), imported));
    };
    mkdirSync(join(folder, dirname(copy)), { recursive: true });
    for (const [kind, text] of textsOf(module))
      writeFileSync(join(folder, copy + kind), text.replace(IMPORTED, moved).replace(CDKTF, '"cdktn'));
  }
}
