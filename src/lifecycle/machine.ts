import type { Connection } from "../api/connection";
import type { Wire } from "../api/http/requester";
import type { Clock } from "../util/clock";

/** What a run needs of its machine and its process. Nothing else in the lifecycle, the hooks and the plugin's resources asks them. */
export interface Machine {
  readonly clock: Clock;
  readonly notes: NotesFolder;
  /** Identifies the run of Terraform on this machine. */
  readonly run: string;
  /** Whether the run is `terraform test`, as far as the machine can tell. @default - it is not */
  readonly isTest?: () => boolean;
  /** Whether the run of Terraform changes only some objects of the code, as far as the machine can tell. @default - all */
  readonly isPartial?: (env: NodeJS.ProcessEnv) => boolean;
  /** The JSON of the synthesized stack that Terraform runs. Undefined if it cannot be read. @default - it cannot */
  readonly synthesized?: () => unknown;
  /** An id for a new object in the state, different from all others. */
  newId(): string;
  /** @default - the network */
  readonly wire?: (connection: Connection) => Wire;
}

/** The folder of the notes. Files are named by their path in it, as in `deletions/1234.json`. */
export interface NotesFolder {
  /** For messages. */
  readonly path: string;
  /** Undefined if the file cannot be read. */
  read(file: string): string | undefined;
  /** Writes a file completely or not at all, even if the machine dies. The first file creates the folder. */
  write(file: string, text: string): void;
  /** Succeeds if there is no such file. */
  remove(file: string): void;
  /** The files of a folder in this one; none if the folder cannot be read. */
  list(folder: string): string[];
}
