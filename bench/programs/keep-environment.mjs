import { writeFileSync } from "node:fs";

/** Stands in for a hook: keeps what Terraform tells it, so that the hook can be started by itself afterwards. */
const [, , file, ...args] = process.argv;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("CLUSTER_PLATFORM_HOOK_")));
writeFileSync(file, JSON.stringify({ args, cwd: process.cwd(), env }));
