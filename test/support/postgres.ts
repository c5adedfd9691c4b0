import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";

/** The folder of PostgreSQL's programs, on the PATH or where Debian installs them. */
function programs(): string | undefined {
  const versions = "/usr/lib/postgresql";
  const packaged = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, "bin")) : [];
  return [...(process.env.PATH ?? "").split(delimiter), ...packaged].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

export const hasPostgres = programs() !== undefined && (userInfo().uid !== 0 || serverUser() !== undefined);

/** The user of the server, because PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((flag) => Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout));
    if (uid && gid) return { uid, gid };
  }
  return undefined;
}

/** A PostgreSQL server with an empty database on a free port. */
export class Postgres {
  private constructor(
    private readonly folder: string,
    private readonly server: ChildProcess,
    readonly port: number,
  ) {}

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres?sslmode=disable`;
  }

  static async start(): Promise<Postgres> {
    const bin = programs()!;
    const folder = mkdtempSync(join(tmpdir(), "cluster-platform-postgres-"));
    const as = userInfo().uid === 0 ? serverUser() : undefined;
    if (as) chownSync(folder, as.uid, as.gid);
    const data = join(folder, "data");
    execFileSync(join(bin, "initdb"), ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8"], {
      ...as,
      cwd: folder,
      stdio: "ignore",
    });
    const port = await freePort();
    const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: folder, fsync: "off", max_connections: 20 };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const server = spawn(join(bin, "postgres"), ["-D", data, ...args], {
      ...as,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      let said = "";
      server.stderr.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("ready to accept connections")) resolve();
      });
      server.on("close", () => reject(new Error(said)));
    });
    return new Postgres(folder, server, port);
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.server.on("close", resolve));
    // SIGINT also ends open connections.
    this.server.kill("SIGINT");
    await gone;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
