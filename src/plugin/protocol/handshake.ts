import { closeSync, writeSync } from "node:fs";
import { engines } from "../../../package.json";

/** Shows a plugin that Terraform has started it, and not a person by mistake. */
const MAGIC_COOKIE = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
} as const;

/** The version of go-plugin's handshake line. */
const CORE_PROTOCOL_VERSION = 1;
const PROTOCOL_VERSION = 6;

const NEEDED_NODE = engines.node.replace(/^>=/, "");

export interface Endpoint {
  readonly network: "unix" | "tcp";
  readonly address: string;
  /** Undefined if the connection is not encrypted. */
  readonly certificate?: Buffer;
}

/**
 * Writes the one line that Terraform reads from a plugin's standard output. Any other output there breaks the start. For that
 * reason the launcher passes the original standard output as another file descriptor, and sends the program's own output to
 * standard error.
 */
export class Handshake {
  constructor(
    private readonly env: NodeJS.ProcessEnv,
    /** The file descriptor of the pipe that Terraform reads. */
    private readonly descriptor: number,
  ) {}

  /** The reason why the plugin cannot run here, if there is one. */
  obstacle(): string | undefined {
    if (isOlder(process.versions.node, NEEDED_NODE)) {
      return `The provider needs Node.js ${NEEDED_NODE} or newer, and 'node' on the PATH is ${process.versions.node}.`;
    }
    if (this.env[MAGIC_COOKIE.name] !== MAGIC_COOKIE.value) {
      return "This program is a plugin of Terraform and OpenTofu. They start it themselves: run `terraform plan` where its provider is declared.";
    }
    const offered = this.env.PLUGIN_PROTOCOL_VERSIONS;
    if (offered !== undefined && !offered.split(",").includes(String(PROTOCOL_VERSION))) {
      return `The provider needs version ${PROTOCOL_VERSION} of the plugin protocol, and this program offers ${offered}: use Terraform 1.5 or newer, or OpenTofu 1.6 or newer.`;
    }
    return undefined;
  }

  complete({ network, address, certificate }: Endpoint): void {
    const encoded = certificate?.toString("base64").replace(/=+$/, "") ?? "";
    this.say([CORE_PROTOCOL_VERSION, PROTOCOL_VERSION, network, address, "grpc", encoded].join("|"));
  }

  /** Terraform shows a first line that it does not understand in its error message, so this line is the reason. */
  refuse(reason: string): void {
    this.say(reason.replace(/\s*\n\s*/g, " ").replaceAll("|", "/"));
  }

  private say(line: string): void {
    writeSync(this.descriptor, `${line}\n`);
    // Closes only a descriptor of its own. If standard output were closed, a later print would fail.
    if (this.descriptor > 2) closeSync(this.descriptor);
  }
}

/** Compares versions by hand, because `localeCompare` would load collation data for 15 ms. */
function isOlder(version: string, needed: string): boolean {
  const [own, other] = [version, needed].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const differing = other.findIndex((part, index) => part !== own[index]);
  return differing >= 0 && own[differing]! < other[differing]!;
}
