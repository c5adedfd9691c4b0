import type { ConnectionLiterals } from "../api/connection";
import type { ProtectionSettings } from "../model/protection";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";

/**
 * The environment of the hooks: literals of the stack in one JSON document, and a variable for each value that only Terraform knows
 * (the instance, values of tokens, triggers in the state).
 */
export type HookCommand = "create" | "delete" | "wait" | "deletion-guard" | "orphan-check" | "refuse" | "self-test";

/** The output of a self-test that has passed, before the version of Node. `cluster-platform doctor` runs the self-test. */
export const SELF_TEST_PASSED = "The hook program runs, by Node";

export const HOOK_ENV = {
  settings: "CLUSTER_PLATFORM_HOOK_SETTINGS",
  /** The block of the hook, as JSON: {@link HookBlock}. */
  block: "CLUSTER_PLATFORM_HOOK_BLOCK",
  /** Name of the object: the key of the instance, or the name in its triggers. */
  name: "CLUSTER_PLATFORM_HOOK_NAME",
  /** Terraform's workspace. */
  workspace: "CLUSTER_PLATFORM_HOOK_WORKSPACE",
  /** Name of the provider of a cluster that is to be deleted. */
  provider: "CLUSTER_PLATFORM_HOOK_PROVIDER",
  /** {@link HookEntry}, JSON, gzip, base64, in as many variables (`…_0`, `…_1`) as its size needs. */
  entry: "CLUSTER_PLATFORM_HOOK_ENTRY",
  /** The objects that must be on the service, {@link HookExpectation}s: JSON, gzip, base64. */
  expected: "CLUSTER_PLATFORM_HOOK_EXPECTED",
  /** Set on the second waiter, which prints nothing if all is ready. */
  waited: "CLUSTER_PLATFORM_HOOK_WAITED",
  /**
   * The snapshot of the state and the snapshot of the code: JSON, gzip, base64, in as many variables (`…_0`, `…_1`) as the size
   * needs. The hook of a resource without a snapshot gets the snapshot of the code as `before`, and no `after`.
   */
  before: "CLUSTER_PLATFORM_HOOK_BEFORE",
  after: "CLUSTER_PLATFORM_HOOK_AFTER",
  /** For destroy hooks of objects: {@link HookDeclared}, JSON, gzip, base64. */
  declared: "CLUSTER_PLATFORM_HOOK_DECLARED",
} as const;

/** Size of a piece. Windows allows 32,767 characters in one environment variable, and Linux 128 KiB. */
export const CHUNK_CHARACTERS = 30 * 1024;

/** Literals of the synthesized stack. All hooks of a Platform get the same. */
export interface HookSettings extends ProtectionSettings {
  /** Name of the Platform; undefined if it has none. */
  readonly platform?: string;
  readonly connection: ConnectionLiterals;
  /** How long a create may take over all attempts, until the service has the object. */
  readonly createSeconds: number;
  /** How long all clusters together may take to become ready. */
  readonly readySeconds: number;
  /** How long an object may take to leave the service's lists. */
  readonly deleteSeconds: number;
  /** Time between two looks at the lists while waiting. */
  readonly pollSeconds: number;
}

export interface HookBlock {
  readonly type: TypeCode;
  readonly kind: Kind;
  /** Address of the block in Terraform, as in `null_resource.capvs_clusters`. */
  readonly address: string;
}

/** A declared object, for its create hook. */
export interface HookEntry {
  /** Path of its construct, for messages. */
  readonly path: string;
  readonly triggers: Record<string, unknown>;
  readonly adopt?: boolean;
  /** The request body of a declaration without tokens. */
  readonly body?: JsonObject;
  /** The declaration with the values of its tokens; undefined if there is a {@link body}. */
  readonly spec?: JsonObject;
}

/** What the destroy hook of an object knows of the code. It needs this if no deletion guard ran before. */
export interface HookDeclared {
  /** Some of the declared objects, as `type/kind/name`. One that lives shows that the service is the right one. */
  readonly objects: readonly string[];
  /** Names in `retain` that no declared object has. */
  readonly retained: readonly string[];
}

/** Objects of one block that must be on the service. Only names, because there may be thousands. */
export interface HookExpectation extends HookBlock {
  /** Clusters that must be ready. */
  readonly ready: readonly string[];
  /** All others. */
  readonly present: readonly string[];
}
