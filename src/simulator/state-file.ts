import type { Stats } from "node:fs";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import * as z from "zod/mini";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { TYPE_CODES } from "../model/provider-type";
import { providerTypes } from "../declarations/types";
import { clusterNameOf, providerReferenceOf } from "./bodies";
import { checkBody, wrongFields } from "./body-check";
import type { Inventory } from "./inventory";
import { reasonOf, Refusal } from "./refusal";

const life = { type: z.enum(TYPE_CODES), createdAt: z.number(), goneAt: z.optional(z.number()) };

const stateSchema = z.strictObject({
  version: z.literal(1),
  providers: z.array(
    z.strictObject({
      ...life,
      config: z.strictObject({
        name: z.string(),
        kubeVers: z.readonly(z.array(z.string())),
        allowEditCSI: z.boolean(),
        IPAddressPoolName: z.string(),
      }),
    }),
  ),
  clusters: z.array(z.strictObject({ ...life, body: z.record(z.string(), z.unknown()) })),
});

/** Differs after each write. */
const versionOf = ({ ino, mtimeMs }: Stats) => `${ino} ${mtimeMs}`;

/** Holds no secrets: list entries of providers, requests of clusters. A crash leaves either the old or the new file. */
export class StateFile {
  #writing: Promise<void> = Promise.resolve();
  #next?: Promise<void>;
  #written?: string;

  constructor(
    readonly path: string,
    readonly inventory: Inventory,
  ) {}

  /** Also checks that the file can be written. */
  async load(): Promise<void> {
    const text = await this.#read();
    if (text !== undefined) this.#restore(text);
    await this.flush();
  }

  /** Saves the objects when nobody waits for an answer. @throws INVALID_SETTING if the file cannot be written */
  async flush(): Promise<void> {
    try {
      await this.#saved();
    } catch (error) {
      throw new ConfigurationError("INVALID_SETTING", `the state file ${this.path} cannot be written: ${reasonOf(error)}`);
    }
  }

  /**
   * Changes during a write share the next write.
   * @throws Refusal with status 507 if the file cannot be written. The change stays until the service stops
   */
  async save(): Promise<void> {
    try {
      await this.#saved();
    } catch (error) {
      const lost = "it will be lost if the service restarts before a later change is saved";
      throw new Refusal(507, "STATE_NOT_SAVED", `the change was made but could not be saved, and ${lost}: ${reasonOf(error)}`);
    }
  }

  #saved(): Promise<void> {
    return (this.#next ??= this.#afterCurrent());
  }

  async #afterCurrent(): Promise<void> {
    await this.#writing.catch(() => {});
    this.#next = undefined;
    await (this.#writing = this.#write());
  }

  async #read(): Promise<string | undefined> {
    try {
      return await readFile(this.path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new ConfigurationError("INVALID_SETTING", `the state file ${this.path} cannot be read: ${reasonOf(error)}`);
    }
  }

  #restore(text: string): void {
    try {
      const state = JSON.parse(text) as z.infer<typeof stateSchema>;
      const wrong = wrongFields(stateSchema, state);
      if (wrong.length > 0) throw new Error(`'${wrong[0]!.field}' ${wrong[0]!.message}`);
      for (const { config, ...life } of state.providers) {
        this.#requireType(life.type);
        this.inventory.restore({ kind: "providers", name: config.name, body: {}, config, ...life });
      }
      for (const { body, ...life } of state.clusters) {
        this.#requireType(life.type);
        checkBody("clusters", life.type, body, true);
        const name = clusterNameOf(body);
        this.inventory.restore({ kind: "clusters", name, provider: providerReferenceOf(body), body, ...life });
      }
    } catch (error) {
      const wayOut = "it was not changed; repair it, or move it away to start empty";
      throw new ClusterPlatformError(
        "INVALID_DOCUMENT",
        `the state file ${this.path} is damaged (${reasonOf(error)}); ${wayOut}`,
      );
    }
  }

  #requireType(type: string): void {
    if (!Object.hasOwn(providerTypes, type)) throw new Error(`provider type '${type}' is not known here`);
  }

  /** A lock would outlive a crash. */
  async #refuseOfAnother(): Promise<void> {
    const found = await stat(this.path).catch(() => undefined);
    if (found === undefined || this.#written === undefined || versionOf(found) === this.#written) return;
    throw new Error("another program has written it since, perhaps a second simulator; give each simulator a file of its own");
  }

  async #write(): Promise<void> {
    const { providers, clusters } = this.inventory;
    const state = {
      version: 1,
      providers: [...providers].map(({ type, createdAt, goneAt, config }) => ({ type, createdAt, goneAt, config })),
      clusters: [...clusters].map(({ type, createdAt, goneAt, body }) => ({ type, createdAt, goneAt, body })),
    } satisfies z.infer<typeof stateSchema>;
    await this.#refuseOfAnother();
    let written: string;
    const temporary = `${this.path}.${process.pid}.tmp`;
    try {
      const file = await open(temporary, "w", 0o600);
      try {
        await file.writeFile(JSON.stringify(state));
        await file.sync();
        written = versionOf(await file.stat());
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
      this.#written = written;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }
}
