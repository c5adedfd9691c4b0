import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const OWN_VERSION = (JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }).version;
const EXAMPLE = resolve("examples/pipelines");

/**
 * A team's repository with the files of examples/pipelines in their documented places. Its machines have the real tools on
 * their PATH, and an `npm ci` that needs no registry.
 */
export class Repository {
  private readonly root = mkdtempSync(join(tmpdir(), "cluster-platform-pipelines-"));
  readonly folder = join(this.root, "work");
  /** In front of every machine's PATH. */
  readonly tools = join(this.root, "bin");
  /** Opens what is encrypted for ci/plan-certificate.pem. */
  readonly planKey: string;

  constructor() {
    mkdirSync(join(this.folder, ".github/workflows"), { recursive: true });
    for (const name of ["review", "review-fork", "apply", "drift"]) {
      cpSync(join(EXAMPLE, `github/${name}.yml`), join(this.folder, `.github/workflows/${name}.yml`));
    }
    cpSync(join(EXAMPLE, "gitlab/.gitlab-ci.yml"), join(this.folder, ".gitlab-ci.yml"));
    cpSync(join(EXAMPLE, "CODEOWNERS"), join(this.folder, "CODEOWNERS"));
    cpSync(join(EXAMPLE, "ci"), join(this.folder, "ci"), { recursive: true });
    for (const name of ["main.ts", "cdktf.json"]) cpSync(join(EXAMPLE, name), join(this.folder, name));
    writeFileSync(join(this.folder, "package.json"), '{ "name": "sites", "private": true }\n');
    this.lock(OWN_VERSION, "sha512-of-this-version");
    writeFileSync(join(this.folder, ".gitignore"), "node_modules\ncdktf.out\napply\n*.tar\nplans.*\n");
    this.installTools();
    this.planKey = this.makeKey("plans", join(this.folder, "ci/plan-certificate.pem"));
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("config", "user.name", "Developer");
    this.git("config", "user.email", "developer@example.com");
    this.commit("The first version");
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  commit(message: string): string {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
    return this.git("rev-parse", "HEAD");
  }

  edit(file: string, change: (text: string) => string): void {
    const path = join(this.folder, file);
    const text = readFileSync(path, "utf8");
    const changed = change(text);
    if (changed === text) throw new Error(`${file}: nothing changed`);
    writeFileSync(path, changed);
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** Writes the lock file of `npm ci`, with a version of this package. */
  lock(version: string, integrity: string, folder = this.folder): void {
    const packages = { "node_modules/cdktf-cluster-platform": { version, integrity } };
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }));
  }

  /**
   * Another version of this package, with another hook program, in a registry. `npm pack` finds it there.
   * @returns its folder
   */
  publish(version: string, integrity: string): string {
    const folder = this.makeFolder("published");
    for (const name of ["dist", "package.json"]) cpSync(resolve(name), join(folder, name), { recursive: true });
    appendFileSync(join(folder, "dist/hooks/main.js"), `// ${version}\n`);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, version }));
    writeFileSync(join(folder, "packed.json"), JSON.stringify([{ filename: "package.tgz", integrity }]));
    symlinkSync(folder, join(this.tools, `cdktf-cluster-platform@${version}`));
    return folder;
  }

  /** A private key whose certificate is written to a file. */
  makeKey(name: string, certificate = join(this.root, `${name}-certificate.pem`)): string {
    const key = join(this.root, `${name}.pem`);
    const options = ["-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj", `/CN=${name}`];
    execFileSync("openssl", ["req", ...options, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    return readFileSync(key, "utf8");
  }

  makeFolder(name: string): string {
    return mkdtempSync(join(this.root, `${name}-`));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** An `npm ci` that links to this repository's packages and build, and an `npm pack` of published versions. */
  private installTools(): void {
    const installed = resolve("node_modules");
    this.tool(
      "npm",
      `case $1 in
pack)
  cat "${this.tools}/$2/packed.json"
  tar -C "${this.tools}/$2" --transform s,^,package/, -czf "\${4#--pack-destination=}/package.tgz" dist package.json
  exit
  ;;
ci) ;;
*)
  echo "npm $*: not expected" >&2
  exit 1
  ;;
esac
mkdir -p node_modules/.bin
ln -s ${installed}/* node_modules/
ln -s ${resolve(".")} node_modules/cdktf-cluster-platform
ln -s ${installed}/.bin/* node_modules/.bin/
ln -s ${resolve("dist/cli/main.js")} node_modules/.bin/cluster-platform`,
    );
    // GitHub's command line, as far as the workflows use it: the number of the pull request of a fork's branch.
    this.tool(
      "gh",
      `expected="api --method GET repos/team/sites/pulls -f state=open -f head=somebody:change --jq .[0].number"
[ "$*" = "$expected" ] || { echo "gh $*: not expected" >&2; exit 1; }
echo 1`,
    );
  }

  private tool(name: string, script: string): void {
    mkdirSync(this.tools, { recursive: true });
    writeFileSync(join(this.tools, name), `#!/usr/bin/env bash\nset -e\n${script}\n`);
    chmodSync(join(this.tools, name), 0o755);
  }
}
