import { openClient } from "../api/open-client";
import type { PlatformClient } from "../api/client";
import { connection } from "../api/connection";
import type { HookSettings } from "../contract/hook-protocol";
import { systemClock } from "../lifecycle/clock";
import type { Context } from "../lifecycle/context";
import { Journal, NOTES_FOLDER } from "../lifecycle/journal";
import type { ObjectRef } from "../model/object-ref";
import type { Redactor } from "../model/redaction";
import { hookRemedies } from "./advice";
import type { Interruption } from "./interruption";
import { terraformProcess } from "../contract/terraform-process";

export class Run {
  #client: PlatformClient | undefined;

  constructor(
    readonly env: NodeJS.ProcessEnv,
    readonly settings: HookSettings,
    readonly interruption: Interruption,
    readonly redactor: Redactor,
  ) {}

  /** Created on first use, so that a hook with nothing to do needs no connection and no token. */
  client(): PlatformClient {
    return (this.#client ??= openClient(this.settings.connection, this.env, this.redactor));
  }

  /** A destroy hook does not know the workspace. */
  journal(workspace = ""): Journal {
    const { url } = connection(this.settings.connection, this.env);
    return new Journal({ folder: NOTES_FOLDER, url, workspace, run: terraformProcess() }, systemClock);
  }

  /** @param blockAddress address of an object's block in Terraform, as in `null_resource.capvs_clusters`, for remedies */
  context(blockAddress: (object: ObjectRef) => string = String, workspace?: string): Context {
    const client = this.client();
    return {
      client,
      lookup: client,
      clock: systemClock,
      journal: this.journal(workspace),
      times: this.settings,
      cancellation: this.interruption,
      remedies: hookRemedies(this.settings, blockAddress),
      say: (line) => this.say(line),
    };
  }

  say(line: string): void {
    process.stdout.write(`${this.redactor.redact(line)}\n`);
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}
