import { PlatformClient } from "../../dist/api/client.js";
import { credentials } from "../../dist/api/credentials.js";
import { connection } from "../../dist/api/connection.js";

/**
 * node lists.mjs REQUESTS NAME: lists the clusters this many times with the client, looks the name up in each list, and prints
 * the time per list.
 */
const [, , requests, name] = process.argv;
const client = new PlatformClient({ connection: connection({}, process.env), credentials: credentials(process.env) });

async function list(times) {
  let [listed, found] = [0, 0];
  for (let index = 0; index < times; index++) {
    const started = performance.now();
    const clusters = await client.listClusters();
    const received = performance.now();
    if (!clusters.find(name)) throw new Error(`${name} is not listed`);
    listed += received - started;
    found += performance.now() - received;
  }
  return { listMs: listed / times, findMs: found / times };
}

await list(3);
const result = await list(Number(requests));
await client.close();
console.log(JSON.stringify({ ...result, peakKib: process.resourceUsage().maxRSS }));
