import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { systemWire } from "../../src/api/http/requester";
import type { HookDeclared } from "../../src/contract/hook-protocol";
import type { PlatformSettings } from "../../src/contract/platform-settings";
import { Hook } from "../../src/hooks/hook";
import { Interruption } from "../../src/hooks/interruption";
import { thisMachine } from "../../src/host/machine";
import { NOTES_FOLDER, notesFolder } from "../../src/host/notes-folder";
import type { Machine } from "../../src/lifecycle/machine";
import type { JsonObject, Kind } from "../../src/model/provider-type";
import { type Clock, systemClock } from "../../src/util/clock";
import { readSynthesized } from "../../src/synthesized/folder";
import { goldens } from "../goldens";

export const TOKEN = "zq7-token-that-nobody-sees";
/** A value in the entry that no message may contain. */
export const SECRET = "zq7-secret-that-nobody-sees";

export const packed = (value: unknown) => gzipSync(JSON.stringify(value)).toString("base64");

/** The snapshot of declared objects that a support resource keeps, encoded as for a hook. */
export const snapshot = (...ids: readonly string[]) => packed({ objects: Object.fromEntries(ids.map((id) => [id, ""])) });

/** What a destroy hook gets. */
export const declared = (more: Partial<HookDeclared> = {}): HookDeclared => ({
  objects: ["capvs/providers/vsphere"],
  digests: {},
  retained: [],
  needs: { secrets: {}, providers: [], withTokens: [] },
  ...more,
});

export const settings = (url: string | undefined, more: Partial<PlatformSettings> = {}): string =>
  JSON.stringify({
    connection: { url, requestSeconds: 2.5 },
    createSeconds: 2,
    readySeconds: 2,
    deleteSeconds: 1,
    pollSeconds: 0.2,
    deletionProtection: [],
    allowDeletion: [],
    retain: [],
    ...more,
  });

export const block = (kind: string, type = "capvs") => JSON.stringify({ type, kind, address: `null_resource.${type}_${kind}` });

const { cluster, provider } = goldens.capvs;
const secret = { $secret: { value: SECRET } };
const specs = {
  clusters: {
    ...cluster.minimal.declaration,
    name: "prod",
    provider: "vsphere",
    bodyOverrides: { provider: { password: secret } },
  },
  providers: { ...provider.minimal.declaration, name: "vsphere", username: "admin", password: secret },
};

/** The entry of the cluster `prod`, or of its provider. */
export const entryOf = (kind: Kind, changes: JsonObject = {}) =>
  packed({ path: "stack/prod", triggers: {}, spec: { ...specs[kind], ...changes } });

/** What differs for the provider of the cluster. */
export const ofProvider = {
  CLUSTER_PLATFORM_HOOK_BLOCK: block("providers"),
  CLUSTER_PLATFORM_HOOK_NAME: "vsphere",
  CLUSTER_PLATFORM_HOOK_ENTRY_0: entryOf("providers"),
};

export function environment(url: string | undefined): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CLUSTER_PLATFORM_TOKEN: TOKEN,
    CLUSTER_PLATFORM_HOOK_SETTINGS: settings(url),
    CLUSTER_PLATFORM_HOOK_BLOCK: block("clusters"),
    CLUSTER_PLATFORM_HOOK_NAME: "prod",
    CLUSTER_PLATFORM_HOOK_KEY: "prod",
    CLUSTER_PLATFORM_HOOK_WORKSPACE: "default",
    CLUSTER_PLATFORM_HOOK_UID: "8674665223082153551",
    CLUSTER_PLATFORM_HOOK_PROVIDER: "vsphere",
    CLUSTER_PLATFORM_HOOK_ENTRY_0: entryOf("clusters"),
    CLUSTER_PLATFORM_HOOK_EXPECTED_0: packed([
      { type: "capvs", kind: "clusters", address: "null_resource.capvs_clusters", ready: ["prod"], present: [] },
    ]),
    CLUSTER_PLATFORM_HOOK_BEFORE_0: snapshot("capvs/clusters/prod"),
    CLUSTER_PLATFORM_HOOK_AFTER_0: snapshot(),
    CLUSTER_PLATFORM_HOOK_DECLARED_0: packed(declared()),
  };
}

export interface HookRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a hook in this process. */
export async function runHook(
  command: string | undefined,
  env: NodeJS.ProcessEnv,
  { folder, clock = systemClock }: { folder?: string; clock?: Clock } = {},
): Promise<HookRun> {
  const own = folder ?? mkdtempSync(join(tmpdir(), "bad-input-"));
  const said = { stdout: "", stderr: "" };
  const hook = new Hook({
    env,
    machine: machineIn(own, clock),
    interruption: new Interruption(clock, () => false),
    print: (text) => (said.stdout += text),
    printError: (text) => (said.stderr += text),
  });
  const status = await hook.run(command);
  await hook.close();
  if (folder === undefined) rmSync(own, { recursive: true, force: true });
  return { status, ...said };
}

/** All hooks of a test look like those of one run of Terraform. */
const machineIn = (folder: string, clock: Clock): Machine => ({
  ...thisMachine(),
  clock,
  wire: (connection) => ({ ...systemWire(connection), clock }),
  // Messages name the folder as Terraform's process sees it.
  notes: { ...notesFolder(join(folder, NOTES_FOLDER)), path: NOTES_FOLDER },
  synthesized: () => readSynthesized(folder),
});

/** Checks the message of a refusal: it has the parts, one error, a bounded length and no secret. */
export function expectRefusal({ status, stdout, stderr }: HookRun, exit: 1 | 2, code: string, parts: readonly string[]): void {
  const begin = `Error [${code}] `;
  expect({ status, stdout, stderr }).toMatchObject({ status: exit, stderr: expect.stringContaining(begin) });
  const message = stderr.slice(stderr.indexOf(begin));
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toMatch(/this is a bug|\n\s+at |undefined|\[object/);
  expect(message.length).toBeLessThan(1_000);
  for (const hidden of [TOKEN, SECRET]) expect(stdout + stderr).not.toContain(hidden);
}
