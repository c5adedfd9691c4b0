import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { launcherName, LOCK_FILE, pluginMirrorIn, thisSystem, zipName } from "../src/contract/plugin-package";
import { GNU_TIME, hasGnuTime, type Program, timed } from "./processes";
import type { Stack } from "./stack";

/** The provider in the folder of a stack, unpacked, as this machine starts it after the next init. */
export function packageOf(stack: Stack): { readonly folder: string; readonly launcher: string } {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const mirror = pluginMirrorIn(stack.folder);
  const folder = join(mirror, version, thisSystem());
  const zip = join(mirror, zipName(version, thisSystem()));
  if (existsSync(zip)) {
    mkdirSync(folder, { recursive: true });
    const files = Object.entries(unzipSync(readFileSync(zip)));
    for (const [name, content] of files) writeFileSync(join(folder, name), content, { mode: 0o755 });
    rmSync(zip);
  }
  return { folder, launcher: join(folder, launcherName(version)) };
}

/** Peak resident set of the largest provider process of an untimed run, in MiB. Undefined without GNU time. */
export async function pluginPeakMib(stack: Stack, run: (stack: Stack) => Program): Promise<number | undefined> {
  if (!hasGnuTime) return undefined;
  const copy = stack.copy();
  try {
    const { launcher } = packageOf(copy);
    const file = join(copy.folder, "peaks");
    const original = `${launcher.slice(0, launcher.lastIndexOf("/"))}/original`;
    renameSync(launcher, original);
    writeFileSync(launcher, `#!/bin/sh\nexec ${GNU_TIME} -f %M -a -o '${file}' "\${0%/*}/original" "$@"\n`);
    chmodSync(launcher, 0o755);
    rmSync(join(copy.folder, LOCK_FILE));
    await copy.init();
    await timed(run(copy));
    const peaks = existsSync(file) ? readFileSync(file, "utf8").match(/^\d+$/gm) : null;
    return peaks === null ? undefined : Math.max(...peaks.map(Number)) / 1024;
  } finally {
    copy.remove();
  }
}
