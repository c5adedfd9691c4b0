import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClusterPlatformError } from "../model/errors";
import type { Fingerprint } from "./fingerprint";

/** What is noted of an object: in `intents`, that its create was about to be sent and no answer is on record. */
export interface Intent {
  readonly id: string;
  readonly url: string;
  readonly workspace: string;
  /** When it was written, ISO 8601. */
  readonly at: string;
  /** Of a create: what was declared then. */
  readonly declared?: Fingerprint;
}

/**
 * In the folder that Terraform runs in, beside its own `.terraform`: creates under way, and registrations that the
 * service has but said not to be ready.
 */
const FOLDERS = { intents: ".cluster-platform/intents", registrations: ".cluster-platform/registrations" };

/**
 * Remembers, on this machine, that this stack is creating an object: written after the name was found free and
 * before the request, removed after a definite answer. Should the hook be killed in between, the next apply knows
 * the object that it then finds for its own.
 */
export class Journal {
  /**
   * Whoever has the name from now on is another one: the object was seen to be gone. Of all workspaces, since Terraform
   * does not tell destroy hooks in which one they run. What cannot be removed fails no deletion that is done.
   */
  static forget(id: string, url: string): void {
    for (const file of Object.values(FOLDERS).flatMap(filesIn)) {
      const intent = read(file);
      if (intent?.id === id && intent.url === url) discard(file);
    }
  }

  /** The youngest note of the object's creation, of whichever workspace. */
  static noted(id: string, url: string): Intent | undefined {
    return filesIn(FOLDERS.intents)
      .map(read)
      .filter((intent) => intent?.id === id && intent.url === url)
      .sort((one, other) => Date.parse(one!.at) - Date.parse(other!.at))
      .at(-1);
  }

  private readonly file: string;

  constructor(
    private readonly id: string,
    private readonly url: string,
    /** Workspaces have states of their own in one folder: what one was creating is foreign to the others. */
    private readonly workspace: string,
    notes: keyof typeof FOLDERS = "intents",
  ) {
    this.file = join(
      FOLDERS[notes],
      `${createHash("sha256").update(`${url} ${workspace} ${id}`).digest("hex").slice(0, 32)}.json`,
    );
  }

  read(): Intent | undefined {
    const intent = read(this.file);
    return intent?.id === this.id && intent.url === this.url && intent.workspace === this.workspace ? intent : undefined;
  }

  /** Must succeed before anything is sent: without it a kill would leave an object that nobody knows. */
  write(declared?: Fingerprint): Intent {
    const intent = { id: this.id, url: this.url, workspace: this.workspace, at: new Date().toISOString(), declared };
    const draft = `${this.file}.${process.pid}`;
    try {
      mkdirSync(join(this.file, ".."), { recursive: true });
      writeFileSync(draft, `${JSON.stringify(intent)}\n`, { flush: true });
      renameSync(draft, this.file);
    } catch (error) {
      discard(draft);
      throw new ClusterPlatformError(
        "INVALID_SETTING",
        `${this.id}: cannot note in ${this.file} that it is being created (${(error as Error).message}); nothing was sent. Make the folder that Terraform runs in writable and apply again`,
      );
    }
    return intent;
  }

  clear(): void {
    discard(this.file);
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // There is no such folder, or it cannot be read, and then nothing in it could be removed.
    return [];
  }
}

/** A note that stays is compared with what is declared and what lives before anything is concluded from it. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder became read-only, or a file stands in its place.
  }
}

function read(file: string): Intent | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Intent;
  } catch {
    // Missing, or cut off when its writer was killed before it sent anything.
    return undefined;
  }
}
