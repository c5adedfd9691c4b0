import { openClient } from "../api/open-client";
import type { PlatformClient } from "../api/client";
import { connection } from "../api/connection";
import { platformPrefix } from "../contract/addresses";
import type { PlatformSettings } from "../contract/platform-settings";
import { objectsWithHooks } from "../synthesized/objects-with-hooks";
import { type RunSettings, readRunSettings } from "../host/run-settings";
import type { Context } from "../lifecycle/context";
import { Journal } from "../lifecycle/journal";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import type { Machine } from "../lifecycle/machine";
import { messageOf } from "../lifecycle/message";
import { sentences } from "../lifecycle/wording";
import type { ClusterPlatformError } from "../model/errors";
import { idOf, type ObjectRef } from "../model/object-ref";
import { visibleLines } from "../util/printable";
import type { Redactor } from "../util/redaction";
import type { Interruption } from "./interruption";
import { hookWords } from "./words";

/** More of them hide the way out. */
const MOST_PATHS = 3;

export class Run {
  /** Ids of all objects of the Platform, if the hook knows them. Messages then have short names. */
  known: readonly string[] | undefined;
  #client: PlatformClient | undefined;
  #ofRun: RunSettings | undefined;

  constructor(
    readonly env: NodeJS.ProcessEnv,
    readonly settings: PlatformSettings,
    readonly interruption: Interruption,
    readonly redactor: Redactor,
    readonly machine: Machine,
    private readonly print: (line: string) => void,
  ) {}

  /** Created on first use, so that a hook with nothing to do needs no connection and no token. */
  client(): PlatformClient {
    return (this.#client ??= openClient(this.settings.connection, this.env, this.redactor, { wire: this.machine.wire }));
  }

  /** Read on first use, so that the self-test does not depend on it. @throws INVALID_SETTING */
  get ofRun(): RunSettings {
    return (this.#ofRun ??= readRunSettings(this.env));
  }

  /** A destroy hook does not know the workspace. */
  journal(workspace = ""): Journal {
    const { url } = connection(this.settings.connection, this.env);
    const { platform = "" } = this.settings;
    const { notes, run, clock } = this.machine;
    return new Journal({ notes, url, workspace, platform, run }, clock);
  }

  /** The client is opened on first use: to leave an object on the service needs no token. */
  context(workspace?: string): Context {
    const client = () => this.client();
    return {
      get client() {
        return client();
      },
      get lookup() {
        return client();
      },
      clock: this.machine.clock,
      journal: this.journal(workspace),
      times: this.settings,
      cancellation: this.interruption,
      say: (line) => this.say(line),
    };
  }

  say(line: string): void {
    this.print(visibleLines(this.redactor.redact(line)));
  }

  /** Two lines: what happened, and the ways out. */
  messageOf(error: ClusterPlatformError): string {
    const { objects } = error instanceof LifecycleError ? error.failure : { objects: [] };
    const paths = this.pathsOf(objects);
    // The path of only one of several objects would look like that of all.
    const isShown = paths.length === objects.length && paths.length <= MOST_PATHS;
    const words = () => hookWords(this.settings, this.env, this.known);
    const { summary, detail, remedies } = messageOf(error, words, isShown ? paths : []);
    return [sentences(summary, detail), remedies].filter((line) => line !== undefined).join("\n");
  }

  /** Paths of the constructs that declare the objects. An object that has left the code has none. */
  private pathsOf(objects: readonly ObjectRef[]): string[] {
    const ids = new Set(objects.map(idOf));
    const prefix = platformPrefix(this.settings.platform);
    try {
      return objectsWithHooks(this.machine.synthesized?.())
        .filter((object) => object.prefix === prefix && ids.has(idOf(object)))
        .map(({ entry }) => entry.path);
    } catch {
      // Somebody has edited the stack. The refusal matters more.
      return [];
    }
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}
