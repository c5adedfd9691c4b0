import { execFileSync, fork, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The packed package, made once per suite from dist. */
export class Tarball {
  private readonly folder = mkdtempSync(join(tmpdir(), "cluster-platform-tarball-"));
  readonly path: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly unpackedSize: number;

  constructor() {
    const [packed] = JSON.parse(
      npm(["pack", "--ignore-scripts", "--json", "--pack-destination", this.folder], process.cwd()),
    ) as [{ filename: string; files: Tarball["files"]; unpackedSize: number }];
    this.path = join(this.folder, packed.filename);
    this.files = packed.files;
    this.unpackedSize = packed.unpackedSize;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A project of a user, with the tarball and other packages from the registry. */
export class Consumer {
  readonly folder = mkdtempSync(join(tmpdir(), "cluster-platform-consumer-"));

  constructor(manifest: object = {}) {
    this.write({ "package.json": JSON.stringify({ name: "consumer", private: true, ...manifest }) });
  }

  install(...packages: string[]): this {
    npm(["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", ...packages], this.folder);
    return this;
  }

  write(files: Record<string, string>): this {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
    return this;
  }

  copy(from: string, to: string): this {
    cpSync(resolve(from), join(this.folder, to), { recursive: true });
    return this;
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  version(name: string): string {
    return (JSON.parse(this.read(`node_modules/${name}/package.json`)) as { version: string }).version;
  }

  /** Runs a Node program in the project. `output` is everything that it prints. */
  node(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ status: number | null; output: string }> {
    return new Promise((done, fail) => {
      const child = spawn(process.execPath, args, {
        cwd: this.folder,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
      child.on("error", fail);
      child.on("close", (status) => done({ status, output }));
    });
  }

  /** Starts a program that keeps running and sends one message with text. */
  fork(script: string, env: NodeJS.ProcessEnv): { readonly message: Promise<string>; stop(): void } {
    const child = fork(join(this.folder, script), { cwd: this.folder, env: { ...process.env, ...env }, execArgv: [] });
    const message = new Promise<string>((done, fail) => {
      child.once("message", (text) => done(text as string));
      child.once("close", (status) => fail(new Error(`${script} ended with ${status} before it said anything`)));
    });
    return { message, stop: () => void child.kill() };
  }

  /** Runs a program of this repository's dependencies in the project. */
  tool(script: string, args: readonly string[], env?: NodeJS.ProcessEnv): ReturnType<Consumer["node"]> {
    return this.node([resolve("node_modules", script), ...args], env);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** For a project with cdktf, as in the README. */
export const PEERS = ["cdktf@^0.21", "constructs"];

export const TSC = "typescript/bin/tsc";
export const TSX = "tsx/dist/cli.mjs";
export const TS_NODE = "ts-node/dist/bin.js";

export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
}
