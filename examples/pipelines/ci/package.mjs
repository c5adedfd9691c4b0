// ci/package.mjs ARCHIVE FOLDER: prints the folder of the cdktf-cluster-platform that has synthesized ARCHIVE, a file of
// ci/synth.sh. It prints nothing if that is the version of this checkout.
//
// It unpacks the version of the archive's package-lock.json into FOLDER, which must be in this checkout. The package comes from
// the registry, whatever else that file says, and must have the integrity that it says. No script of the package runs.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "cdktf-cluster-platform";
const [archive, folder] = process.argv.slice(2);
const run = (program, ...args) => execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const installed = (lockFile) => JSON.parse(lockFile).packages?.[`node_modules/${NAME}`] ?? {};

const { version, integrity } = installed(run("tar", "-xOf", archive, "package-lock.json"));
// A link to a folder has neither.
if (!integrity || integrity === installed(readFileSync("package-lock.json", "utf8")).integrity) process.exit();
if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) refuse(`package-lock.json of ${archive} has no version of ${NAME}`);
const [packed] = JSON.parse(run("npm", "pack", `${NAME}@${version}`, "--json", `--pack-destination=${folder}`));
if (packed.integrity !== integrity) refuse(`the registry has another ${NAME} ${version} than package-lock.json of ${archive}`);
// It finds its dependencies and the CDK in this checkout, which locks them.
run("tar", "-C", folder, "-xzf", join(folder, packed.filename));
console.log(join(folder, "package"));

function refuse(problem) {
  console.error(problem);
  process.exit(1);
}
