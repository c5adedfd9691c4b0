import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { arch, homedir, platform } from "node:os";
import { join } from "node:path";

/** Tools that a machine builds or downloads once for all clones of this repository. */
function root() {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return process.env.TEST_TOOLS_CACHE || join(caches, "cdktf-cluster-platform");
}

/**
 * If the tool is missing, `make(draft, folder)` fills a draft, and the complete draft becomes the folder. Another run that
 * needs the same tool waits for it.
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
