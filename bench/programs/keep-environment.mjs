import { writeFileSync } from "node:fs";

/** Stands in for a hook and stores its environment, so that the benchmark can start the hook by itself. */
const [, , file, ...args] = process.argv;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("CLUSTER_PLATFORM_HOOK_")));
writeFileSync(file, JSON.stringify({ args, cwd: process.cwd(), env }));
