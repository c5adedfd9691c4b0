import type { ConnectionLiterals } from "../api/connection";
import type { ProtectionSettings } from "../model/protection";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";

/**
 * What a synthesized stack tells its hooks, by environment: literals of the stack as one JSON document, and what
 * only Terraform knows (the instance, tokens' values, the state's triggers) in variables of their own.
 */
export type HookCommand = "create" | "delete" | "wait" | "deletion-guard" | "orphan-check" | "refuse" | "self-test";

/** What the self-test, which `cluster-platform doctor` runs, prints when it has passed; the version of Node follows. */
export const SELF_TEST_PASSED = "The hook program runs, by Node";

export const HOOK_ENV = {
  settings: "CLUSTER_PLATFORM_HOOK_SETTINGS",
  /** Which block of instances the hook belongs to, as JSON: {@link HookBlock}. */
  block: "CLUSTER_PLATFORM_HOOK_BLOCK",
  /** Name of the object: the key of the instance, or what its triggers hold. */
  name: "CLUSTER_PLATFORM_HOOK_NAME",
  /** Terraform's workspace, which shares its folder with the others. */
  workspace: "CLUSTER_PLATFORM_HOOK_WORKSPACE",
  /** Name of the provider that a cluster to be deleted was declared on. */
  provider: "CLUSTER_PLATFORM_HOOK_PROVIDER",
  /** {@link HookEntry}, JSON, gzip, base64, in as many variables (`…_0`, `…_1`) as its size needs. */
  entry: "CLUSTER_PLATFORM_HOOK_ENTRY",
  /** What must be on the service, {@link HookExpectation}s: JSON, gzip, base64. */
  expected: "CLUSTER_PLATFORM_HOOK_EXPECTED",
  /** Set where another hook has waited for the same before: what is as it left it is not worth a word. */
  waited: "CLUSTER_PLATFORM_HOOK_WAITED",
  /**
   * A snapshot of what was declared so far, and of what is declared from now on: JSON, gzip, base64, in as many variables
   * (`…_0`, `…_1`) as its size needs. The hook of a resource that keeps no snapshot gets that of the code as the first,
   * and no second one.
   */
  before: "CLUSTER_PLATFORM_HOOK_BEFORE",
  after: "CLUSTER_PLATFORM_HOOK_AFTER",
  /** For destroy hooks of objects: {@link HookDeclared}, JSON, gzip, base64. */
  declared: "CLUSTER_PLATFORM_HOOK_DECLARED",
} as const;

/** Windows limits one environment variable to 32,767 characters, Linux to 128 KiB; base64 in pieces below that. */
export const CHUNK_CHARACTERS = 30 * 1024;

/** Literals of the synthesized stack, the same for every hook of a Platform. */
export interface HookSettings extends ProtectionSettings {
  /** Name of the Platform, where it has one. */
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

/** One declared object, as its create hook sees it. */
export interface HookEntry {
  /** Path of its construct, for messages. */
  readonly path: string;
  readonly triggers: Record<string, unknown>;
  readonly adopt?: boolean;
  /** The request body, where synth could check and complete the declaration … */
  readonly body?: JsonObject;
  /** … or the declaration itself, where it holds values that were tokens then. */
  readonly spec?: JsonObject;
}

/** What the code declares, as far as the destroy hook of an object needs it where no guard ran before. */
export interface HookDeclared {
  /** Some of the objects, as `type/kind/name`; one that lives shows that the service is the right one. */
  readonly objects: readonly string[];
  /** Names in `retain` that no declared object has. */
  readonly retained: readonly string[];
}

/** Objects of one block that must be on the service by now; only names, since there may be thousands. */
export interface HookExpectation extends HookBlock {
  /** Clusters that are waited for until they are ready. */
  readonly ready: readonly string[];
  /** All others. */
  readonly present: readonly string[];
}
