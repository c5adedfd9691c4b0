import type { ConnectionLiterals } from "../api/connection";
import type { ProtectionSettings } from "../model/protection";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";

/**
 * The commands of the hook program. A synthesized stack passes their input in environment variables. One variable holds the
 * literals of the stack as JSON. Values that only Terraform knows have variables of their own: the instance's key, the values
 * of tokens, the triggers in the state.
 */
export type HookCommand = "create" | "delete" | "wait" | "deletion-guard" | "orphan-check" | "refuse" | "self-test";

/** The self-test prints this line, followed by Node's version. `cluster-platform doctor` looks for it. */
export const SELF_TEST_PASSED = "The hook program runs, by Node";

export const HOOK_ENV = {
  settings: "CLUSTER_PLATFORM_HOOK_SETTINGS",
  /** The {@link HookBlock} that the hook belongs to, as JSON. */
  block: "CLUSTER_PLATFORM_HOOK_BLOCK",
  /** Name of the object, from the key of the instance or from its triggers. */
  name: "CLUSTER_PLATFORM_HOOK_NAME",
  /** Terraform's workspace. All workspaces share one folder. */
  workspace: "CLUSTER_PLATFORM_HOOK_WORKSPACE",
  /** For the deletion of a cluster: the name of its provider. */
  provider: "CLUSTER_PLATFORM_HOOK_PROVIDER",
  /** {@link HookEntry} as JSON, gzip, base64. Split into as many variables (`…_0`, `…_1`) as its size needs. */
  entry: "CLUSTER_PLATFORM_HOOK_ENTRY",
  /** The {@link HookExpectation}s as JSON, gzip, base64. */
  expected: "CLUSTER_PLATFORM_HOOK_EXPECTED",
  /** Set on the second waiter, which stays silent about clusters that have not changed since the first one. */
  waited: "CLUSTER_PLATFORM_HOOK_WAITED",
  /**
   * The Platform's snapshots of the last apply and of the code, as JSON, gzip, base64, split into as many variables (`…_0`,
   * `…_1`) as their size needs. A hook whose resource keeps no snapshot gets the code's snapshot in `before` and nothing in
   * `after`.
   */
  before: "CLUSTER_PLATFORM_HOOK_BEFORE",
  after: "CLUSTER_PLATFORM_HOOK_AFTER",
  /** For destroy hooks of objects: {@link HookDeclared} as JSON, gzip, base64. */
  declared: "CLUSTER_PLATFORM_HOOK_DECLARED",
} as const;

/** Windows limits an environment variable to 32,767 characters, and Linux to 128 KiB. Longer text is split. */
export const CHUNK_CHARACTERS = 30 * 1024;

/** The literals of a synthesized stack. All hooks of a Platform get the same. */
export interface HookSettings extends ProtectionSettings {
  /** Undefined if the Platform has no name. */
  readonly platform?: string;
  readonly connection: ConnectionLiterals;
  /** Limit of a create over all attempts. */
  readonly createSeconds: number;
  /** Limit for all clusters together to become ready. */
  readonly readySeconds: number;
  /** Limit for an object to leave the service's lists. */
  readonly deleteSeconds: number;
  /** Time between two polls of the lists. */
  readonly pollSeconds: number;
}

export interface HookBlock {
  readonly type: TypeCode;
  readonly kind: Kind;
  /** For example `null_resource.capvs_clusters`. */
  readonly address: string;
}

/** The declaration of one object for its create hook. It has either `body` or `spec`. */
export interface HookEntry {
  /** Path of the construct, for messages. */
  readonly path: string;
  readonly triggers: Record<string, unknown>;
  readonly adopt?: boolean;
  /** The request body, if synth knows all values. */
  readonly body?: JsonObject;
  /** The declaration, if it has tokens. The hook then builds the body. */
  readonly spec?: JsonObject;
}

/** The part of the code that the destroy hook of an object needs when no deletion guard has run before it. */
export interface HookDeclared {
  /** Some declared objects, as `type/kind/name`. If one of them lives, the service is the right one. */
  readonly objects: readonly string[];
  /** Entries of `retain` that match no declared object. */
  readonly retained: readonly string[];
}

/** The objects of one block that must be on the service. Only names, because there may be thousands. */
export interface HookExpectation extends HookBlock {
  /** Clusters that the hook waits for until they are ready. */
  readonly ready: readonly string[];
  /** All other objects. */
  readonly present: readonly string[];
}
