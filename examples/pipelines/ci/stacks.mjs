// Prints the synthesized stacks, or those of the arguments, each after the stacks that it depends on.
import { readFileSync } from "node:fs";

const { stacks } = JSON.parse(readFileSync("cdktf.out/manifest.json", "utf8"));
// A change under review may have written them, and the scripts make paths of them.
const strange = Object.keys(stacks).filter((name) => !/^\w[\w. -]*$/.test(name));
if (strange.length > 0) {
  console.error(`these are no names of stacks: ${JSON.stringify(strange)}`);
  process.exit(1);
}
const ordered = new Set();
const visit = (name) => {
  if (ordered.has(name)) return;
  stacks[name].dependencies.forEach(visit);
  ordered.add(name);
};
Object.keys(stacks).forEach(visit);

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in stacks));
if (unknown.length > 0) {
  console.error(`${unknown.join(", ")}: not synthesized; the stacks are ${Object.keys(stacks).join(", ")}`);
  process.exit(1);
}
for (const name of ordered) if (chosen.length === 0 || chosen.includes(name)) console.log(name);
