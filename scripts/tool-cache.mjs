import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { arch, homedir, platform } from "node:os";
import { join } from "node:path";

/**
 * Where tools stay that a machine builds or downloads once, for all clones of this repository: in
 * TEST_TOOLS_CACHE, else in the user's cache folder.
 */
function root() {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return process.env.TEST_TOOLS_CACHE || join(caches, "cdktf-cluster-platform");
}

/**
 * The folder of a tool in this machine's cache. Where it is missing, `make(draft, folder)` fills a draft that becomes the
 * folder as a whole; a run that wants the same tool meanwhile waits for it.
 */
export async function cached(name, make) {
  const folder = join(root(), `${name}-${platform()}-${arch()}`);
  if (existsSync(folder)) return folder;
  mkdirSync(root(), { recursive: true });
  const { lock } = await import("proper-lockfile");
  const release = await lock(folder, { realpath: false, stale: 30_000, retries: { forever: true, maxTimeout: 1_000 } });
  try {
    if (existsSync(folder)) return folder;
    const draft = mkdtempSync(`${folder}.`);
    try {
      await make(draft, folder);
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    return folder;
  } finally {
    await release();
  }
}
