import { gunzipSync } from "node:zlib";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";
import type { SecretUse } from "../model/secret-reference";

/**
 * A synthesized stack passes the input of these commands in environment variables. One has the literals of the stack as JSON.
 * Values that only Terraform knows have variables of their own: the instance's key, values of tokens, triggers in the state.
 */
export type HookCommand = "create" | "delete" | "wait" | "deletion-guard" | "destroy-guard" | "orphan-check" | "self-test";

/** Followed by Node's version. `cluster-platform doctor` looks for this line. */
export const SELF_TEST_PASSED = "The hook program runs, by Node";

export const HOOK_ENV = {
  /** The {@link PlatformSettings} as JSON. */
  settings: "CLUSTER_PLATFORM_HOOK_SETTINGS",
  /** The {@link HookBlock} as JSON. */
  block: "CLUSTER_PLATFORM_HOOK_BLOCK",
  /** For a creation: the key of the instance. For a deletion: the name in its triggers, or {@link NO_TRIGGER}. */
  name: "CLUSTER_PLATFORM_HOOK_NAME",
  /** For a deletion: the key of the instance. Empty if it has no text as its key. */
  key: "CLUSTER_PLATFORM_HOOK_KEY",
  /** Terraform's workspace. All workspaces share one folder. */
  workspace: "CLUSTER_PLATFORM_HOOK_WORKSPACE",
  /** For a deletion: the id of the instance in the state. Another machine may have created the object again, with another one. */
  uid: "CLUSTER_PLATFORM_HOOK_UID",
  /** For a deletion: the triggers in the state, encoded like `entry`. They are cut off after one variable. */
  triggers: "CLUSTER_PLATFORM_HOOK_TRIGGERS",
  /** For the deletion of a cluster: the name of its provider in the triggers, or {@link NO_TRIGGER}. */
  provider: "CLUSTER_PLATFORM_HOOK_PROVIDER",
  /** {@link HookEntry} as JSON, gzip, base64, split into as many variables (`…_0`, `…_1`) as its size needs. */
  entry: "CLUSTER_PLATFORM_HOOK_ENTRY",
  /** The {@link HookExpectation}s, encoded like `entry`. */
  expected: "CLUSTER_PLATFORM_HOOK_EXPECTED",
  /** Set on the waiters for all objects of a Platform: they also look for objects that the code does not declare. */
  all: "CLUSTER_PLATFORM_HOOK_ALL",
  /**
   * Snapshots of the last apply (`before`) and of the code (`after`), encoded like `entry`. `orphan_check_on_destroy` keeps no
   * snapshot: it passes the code's in `before`, and has no `after`.
   */
  before: "CLUSTER_PLATFORM_HOOK_BEFORE",
  after: "CLUSTER_PLATFORM_HOOK_AFTER",
  /** For destroy hooks of objects: {@link HookDeclared}, encoded like `entry`. */
  declared: "CLUSTER_PLATFORM_HOOK_DECLARED",
} as const;

/** Stands for a trigger that an instance lacks, as after `terraform import`. No object can have this name. */
export const NO_TRIGGER = "(none)";

/** Windows limits an environment variable to 32,767 characters, and Linux to 128 KiB. Longer text is split. */
export const CHUNK_CHARACTERS = 30 * 1024;

/** Far more than a valid variable inflates to. */
const INFLATED_BYTES = 64 * 2 ** 20;

/** The value of Terraform's base64gzip(jsonencode(…)). @throws if the text is damaged */
export function inflate(text: string): unknown {
  return JSON.parse(gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: INFLATED_BYTES }).toString("utf8"));
}

/** The value of a variable in pieces, in the environment of a synthesized hook. @throws if it is not literal or damaged */
export function inflatePieces(environment: Readonly<Record<string, unknown>>, name: string): unknown {
  const pieces: unknown[] = [];
  while (`${name}_${pieces.length}` in environment) pieces.push(environment[`${name}_${pieces.length}`]);
  return inflate(pieces.join(""));
}

export interface HookBlock {
  readonly type: TypeCode;
  readonly kind: Kind;
  /** For example `null_resource.capvs_clusters`. */
  readonly address: string;
}

/** One object for its create hook. */
export interface HookEntry {
  /** Path of the construct. */
  readonly path: string;
  readonly triggers: Record<string, unknown>;
  /** Keys of triggers whose values have tokens and become JSON. */
  readonly json?: readonly string[];
  readonly adopt?: boolean;
  /** Whether a cluster names its provider with `fromName`. */
  readonly byName?: boolean;
  /** The declaration by props, without defaults. The hook builds the request body from it. */
  readonly spec: JsonObject;
}

/**
 * What the creates of a Platform need and synth knows, so that nothing is deleted for a create that must fail. It has names and no
 * declarations, because there may be thousands of objects.
 */
export interface HookNeeds {
  /** Secrets that are given by the name of a variable or a file, by the id of the object. */
  readonly secrets: Readonly<Record<string, readonly SecretUse[]>>;
  /** Providers of clusters, if their names are known. */
  readonly providers: readonly HookProviderNeed[];
  /** Ids of the objects whose declarations have tokens. */
  readonly withTokens: readonly string[];
}

export interface HookProviderNeed {
  readonly type: TypeCode;
  readonly provider: string;
  readonly kubernetesVersion?: string;
  /** Whether the clusters have `adopt`. */
  readonly adopt?: boolean;
  /** Whether the stack registers the provider. Otherwise the clusters name it with `fromName`. */
  readonly isOwn?: boolean;
  /** Names of the clusters. */
  readonly clusters: readonly string[];
}

/** For the destroy hook of an object. The deletion guard may not have run before it. */
export interface HookDeclared {
  /** Some declared objects, as `type/kind/name`. If one of them lives, the service is the right one. */
  readonly objects: readonly string[];
  /** {@link digestOf} the declarations of the hook's block, by name. Empty for a declaration with tokens. */
  readonly digests: Readonly<Record<string, string>>;
  /** Entries of `retain` that match no declared object. */
  readonly retained: readonly string[];
  /** Of the hook's block. */
  readonly needs: HookNeeds;
}

/** The objects of one block that must be on the service: only names, because there may be thousands. */
export interface HookExpectation extends HookBlock {
  readonly ready: readonly string[];
  readonly present: readonly string[];
}
