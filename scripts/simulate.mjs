import { spawnSync } from "node:child_process";
import "./set-up.mjs";

/** Plays random sequences in the simulated world; with `--broken`, versions of the code that are broken on purpose. */
const args = process.argv.slice(2);
if (args[0] === "--broken") {
  const { playBroken } = await import("./play-broken.mjs");
  process.exitCode = await playBroken(args.slice(1));
} else {
  const { bundleWorld } = await import("./bundle-world.mjs");
  const preload = ["--require", "./test/support/no-stack-traces-preload.cjs"];
  process.exitCode = spawnSync(process.execPath, [...preload, await bundleWorld(), ...args], { stdio: "inherit" }).status ?? 2;
}
