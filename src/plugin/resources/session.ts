import { connection } from "../../api/connection";
import { credentials } from "../../api/credentials";
import { SecretValues } from "../../host/secret-values";
import { readRunSettings, type RunSettings } from "../../host/run-settings";
import { permissionOf, type DeletionFacts } from "../../decision/deletion";
import type { Cancellation, Context } from "../../lifecycle/context";
import { Journal, type JournalPlace } from "../../lifecycle/journal";
import type { Machine } from "../../lifecycle/machine";
import type { Words } from "../../lifecycle/remedy-words";
import { idOf, type ObjectRef } from "../../model/object-ref";
import { isRetained } from "../../model/protection";
import type { Redactor } from "../../util/redaction";
import type { SecretUse } from "../../model/secret-reference";
import type { ObjectValue } from "../../terraform/value";
import type { ProviderCall } from "../server/provider";
import { Presence } from "./presence";
import type { ProviderSettings } from "../../contract/provider-settings";
import { SharedLists } from "./shared-lists";
import { addressOf, pluginWords } from "./words";

/** Where creates are noted. */
export type NotedPlace = Required<Pick<JournalPlace, "workspace" | "platform">>;

/** What the handlers share after ConfigureProvider: the settings, the client, and the live lists. */
export class Session {
  readonly presence: Presence;
  readonly words: Words;

  constructor(
    readonly settings: ProviderSettings,
    readonly context: Context,
    readonly redactor: Redactor,
    private readonly machine: Machine,
    private readonly run: RunSettings & { readonly env: NodeJS.ProcessEnv },
  ) {
    this.presence = new Presence(context, run.gone, settings.declared ?? []);
    this.words = pluginWords(settings);
  }

  /** @throws MISSING_URL, INVALID_URL, INSECURE_URL, MISSING_TOKEN, INVALID_SETTING */
  static async open(
    settings: ProviderSettings,
    env: NodeJS.ProcessEnv,
    machine: Machine,
    redactor: Redactor,
    call: ProviderCall<unknown>,
  ): Promise<Session> {
    const target = connection(settings.connection, env);
    const run = { env, ...readRunSettings(env) };
    target.warnings.forEach((summary) => call.report({ severity: "warning", summary }));
    // The client is loaded here, because a process that only validates does not need it.
    const { PlatformClient } = await import("../../api/client");
    const log = call.log.keeps("debug") ? (line: string) => call.log.debug(line) : undefined;
    const client = new PlatformClient({
      connection: target,
      credentials: credentials(env, redactor),
      redactor,
      log,
      wire: machine.wire?.(target),
    });
    const { platform = "", workspace } = settings;
    const { notes, clock } = machine;
    const place = { notes, url: target.url, workspace, platform, run: machine.run };
    const context: Context = {
      client,
      lookup: new SharedLists(client, clock),
      clock,
      journal: new Journal(place, clock),
      times: settings,
      cancellation: cancellationOf(call),
      say: (line) => call.log.info(line),
    };
    return new Session(settings, context, redactor, machine, run);
  }

  get url(): string {
    return this.context.client.url;
  }

  get place(): NotedPlace {
    const { workspace, platform = "" } = this.settings;
    return { workspace, platform };
  }

  /** For a new object or resource in the state. */
  newId(): string {
    return this.machine.newId();
  }

  /**
   * The construct or the address of an object, for messages.
   * @param value the configuration or the state of the object
   */
  whereIs(object: ObjectRef | undefined, { declared_at: path }: ObjectValue): string {
    if (typeof path === "string") return path;
    return object ? addressOf(this.settings, object) : "an object with an unknown name";
  }

  /** @throws MISSING_SECRET */
  resolveSecrets(where: string, secrets: readonly SecretUse[], state?: string): SecretValues {
    return SecretValues.resolve(where, secrets, this.run.env, this.redactor, state);
  }

  /** Whether this run is `terraform test`, as far as the machine can tell. */
  get isTest(): boolean {
    return this.machine.isTest?.() ?? false;
  }

  /** Whether this run leaves out a part of the code, as far as the machine can tell. A destroy does not. */
  get isPartial(): boolean {
    return this.machine.isPartial?.(this.run.env) ?? false;
  }

  /** Whether a person has said that the object is gone from the service. */
  isSaidGone(object: ObjectRef): boolean {
    return this.run.gone.has(idOf(object));
  }

  /** Warnings of the lifecycle become diagnostics of the request. */
  contextOf(call: ProviderCall<unknown>): Context {
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

  /** The entries of `retain` that refuse the deletion of an object. What is retained itself needs no look at the service. */
  async unknownRetained(object: ObjectRef): Promise<readonly string[]> {
    const { retain, declared = [] } = this.settings;
    return this.isRetained(object) ? [] : this.presence.namingNothing(retain, declared);
  }

  /** Whether the stack declares the object, as far as the provider block says. */
  isDeclared(object: ObjectRef): boolean {
    return this.settings.declared?.includes(idOf(object)) ?? false;
  }

  /** Whether the removal of an object belongs to a destroy. Nothing else removes what is declared. */
  isDestroyOf(object: ObjectRef): boolean {
    return this.isDeclared(object);
  }

  /**
   * What the provider block and the environment say about a deletion.
   * @param byState whether the state or the configuration of the object has `deletion_protection`
   */
  deletionOf(object: ObjectRef, byState: boolean): Pick<DeletionFacts, "isRetained" | "protection" | "isSaidGone"> {
    return {
      ...permissionOf(this.settings, idOf(object), byState),
      isSaidGone: this.isSaidGone(object),
    };
  }
}

/** Terraform waits for answers after it asks to stop, so only waits are cut short, and HTTP requests run to their end. */
function cancellationOf({ stopping }: ProviderCall<unknown>): Cancellation {
  const signal = new AbortController();
  const why = () => (stopping.reason instanceof Error ? stopping.reason.message : String(stopping.reason));
  const stop = () => signal.abort(why());
  if (stopping.aborted) stop();
  stopping.addEventListener("abort", stop);
  return {
    signal: signal.signal,
    requestSignal: new AbortController().signal,
    get interruptedBy() {
      return stopping.aborted ? why() : undefined;
    },
  };
}
