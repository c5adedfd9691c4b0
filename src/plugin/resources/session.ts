import { connection } from "../../api/connection";
import { credentials } from "../../api/credentials";
import { readAdoptions, readFormerUrls, readGoneAccepted } from "../../contract/run-settings";
import { terraformProcess } from "../../contract/terraform-process";
import { systemClock } from "../../lifecycle/clock";
import type { Cancellation, Context } from "../../lifecycle/context";
import { Journal, NOTES_FOLDER } from "../../lifecycle/journal";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { isProtected, isRetained } from "../../model/protection";
import type { Redactor } from "../../model/redaction";
import type { Call } from "../server/provider";
import { Presence } from "./presence";
import { pluginRemedies } from "./remedies";
import type { Settings } from "../../contract/provider-settings";
import { SharedLists } from "./shared-lists";

/** What the handlers share after ConfigureProvider: the settings, the client, and the live lists. */
export class Session {
  readonly presence: Presence;

  constructor(
    readonly settings: Settings,
    readonly context: Context,
    readonly redactor: Redactor,
    private readonly run: {
      readonly env: NodeJS.ProcessEnv;
      readonly adoptions: ReadonlySet<string>;
      readonly acceptGone: boolean;
      readonly formerUrls: readonly string[];
    },
  ) {
    this.presence = new Presence(context, run.acceptGone);
  }

  /** @throws MISSING_URL, INVALID_URL, INSECURE_URL, MISSING_TOKEN, INVALID_SETTING */
  static async open(settings: Settings, env: NodeJS.ProcessEnv, redactor: Redactor, call: Call<unknown>): Promise<Session> {
    const target = connection(settings.connection, env);
    const run = { env, adoptions: readAdoptions(env), acceptGone: readGoneAccepted(env), formerUrls: readFormerUrls(env) };
    target.warnings.forEach((summary) => call.report({ severity: "warning", summary }));
    // The client is loaded here, because a process that only validates does not need it.
    const { PlatformClient } = await import("../../api/client");
    const log = call.log.keeps("debug") ? (line: string) => call.log.debug(line) : undefined;
    const client = new PlatformClient({ connection: target, credentials: credentials(env, redactor), redactor, log });
    const { platform, workspace } = settings;
    const place = {
      folder: NOTES_FOLDER,
      url: target.url,
      formerUrls: run.formerUrls,
      workspace,
      platform,
      run: terraformProcess(),
    };
    const context: Context = {
      client,
      lookup: new SharedLists(client),
      clock: systemClock,
      journal: new Journal(place, systemClock),
      times: settings.times,
      cancellation: cancellationOf(call),
      remedies: pluginRemedies(settings),
      say: (line) => call.log.info(line),
    };
    return new Session(settings, context, redactor, run);
  }

  get url(): string {
    return this.context.client.url;
  }

  get env(): NodeJS.ProcessEnv {
    return this.run.env;
  }

  get acceptGone(): boolean {
    return this.run.acceptGone;
  }

  /** The present URL of a service that a state names. */
  presentUrl(service: string | null): string | null {
    return service !== null && this.run.formerUrls.includes(service) ? this.url : service;
  }

  /** Warnings of the lifecycle become diagnostics of the request. */
  contextOf(call: Call<unknown>): Context {
    return {
      ...this.context,
      say: (line) => call.log.info(line),
      warn: (line) => {
        call.log.info(line);
        call.report({ severity: "warning", summary: line });
      },
    };
  }

  isAdopted(object: ObjectRef): boolean {
    return this.run.adoptions.has(idOf(object));
  }

  isRetained(object: ObjectRef): boolean {
    return isRetained(this.settings, idOf(object));
  }

  /** @param byState whether the state or the configuration of the object has `deletion_protection` */
  isProtected(object: ObjectRef, byState: boolean): boolean {
    const deletionProtection = byState ? true : this.settings.deletionProtection;
    return isProtected({ deletionProtection, allowDeletion: this.settings.allowDeletion }, idOf(object));
  }
}

/** Terraform waits for answers after it asks to stop, so only waits are cut short, and HTTP requests run to their end. */
function cancellationOf({ stopping }: Call<unknown>): Cancellation {
  const signal = new AbortController();
  const stop = () => signal.abort(stopping.reason instanceof Error ? stopping.reason.message : String(stopping.reason));
  if (stopping.aborted) stop();
  stopping.addEventListener("abort", stop);
  return {
    signal: signal.signal,
    requestSignal: new AbortController().signal,
  };
}
