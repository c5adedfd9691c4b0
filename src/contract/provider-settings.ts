import { brokenPlatformNameRule } from "./addresses";
import type { DeclaredElsewhere } from "./declared-elsewhere";
import { ConfigurationError } from "../model/errors";
import { isPattern, PATTERN_RULE } from "../model/object-pattern";
import { EXACT_RULE, isExact, type ProtectionSettings } from "../model/protection";
import type { Declared } from "../declarations/declaration";
import type { ConnectionLiterals } from "../api/connection";
import type { Times } from "../lifecycle/context";
import { renderAttributePath, type AttributePath, type Attributes } from "../terraform/attributes";
import type { Diagnostic } from "../terraform/diagnostic";
import { decimalText, isWhollyKnown, Unknown, type Decimal, type ObjectValue, type Value } from "../terraform/value";

export interface Settings extends ProtectionSettings {
  /** Empty for a Platform without a name. */
  readonly platform: string;
  readonly workspace: string;
  /** Ids of all objects that the code declares. Undefined in a provider block that does not say it. */
  readonly declared?: readonly string[];
  readonly elsewhere: readonly DeclaredElsewhere[];
  /**
   * The declarations that an engine with hooks takes over, flat, by id. A declaration is undefined if it has a value that Terraform
   * does not know yet. The map is undefined if the provider keeps its objects.
   */
  readonly handOver?: ReadonlyMap<string, Declared | undefined>;
  readonly connection: ConnectionLiterals;
  readonly times: Times;
}

const optional = { optional: true } as const;
const names = { type: ["list", "string"], ...optional } as const;
const seconds = (description: string) => ({ type: "number", ...optional, description }) as const;

const TIMEOUTS = {
  request_seconds: seconds("One attempt of one request, from 0.1 to 3600. Default: 60."),
  create_seconds: seconds("All attempts of one create, from 1 to 604800. Default: 600."),
  ready_seconds: seconds("All clusters together until each is Provisioned, from 1 to 604800. Default: 3600."),
  delete_seconds: seconds("A deletion until the object has left the lists, from 1 to 604800. Default: 1800."),
} satisfies Attributes;

export const PROVIDER_ATTRIBUTES: Attributes = {
  platform: { type: "string", ...optional, description: "The name of the Platform. The ids of its blocks begin with it." },
  workspace: { type: "string", ...optional, description: "The Terraform workspace: terraform.workspace." },
  declared: {
    ...names,
    description:
      "The objects that the code declares, as type/kind/name. The clusterplatform_ready that has them all fails while an object of an interrupted apply lives that is neither declared nor in the state.",
  },
  declared_elsewhere: {
    type: ["list", ["object", { platform: "string", url: "string", objects: ["list", "string"] }]],
    ...optional,
    description:
      "The objects that other provider blocks declare, perhaps on this service. Each entry has the platform and the url of its block, which is empty for CLUSTER_PLATFORM_URL. A plan does not delete them.",
  },
  hand_over: {
    type: ["map", ["map", "string"]],
    ...optional,
    description:
      "The flat declarations of the objects that hooks take over, by type/kind/name. A plan is refused unless each object in the state has its declaration.",
  },
  url: { type: "string", ...optional, description: "The base URL of the service. Default: CLUSTER_PLATFORM_URL." },
  ca_file: { type: "string", ...optional, description: "The path of a PEM file of further certificate authorities." },
  insecure_skip_verify: { type: "bool", ...optional, description: "Accepts any certificate. Every run warns." },
  allow_plain_http: { type: "bool", ...optional, description: "Sends the token over plain HTTP to another machine." },
  poll_seconds: seconds("The polling interval while waiting, from 0.1 to 3600. Default: 5."),
  timeouts: { nested: { nesting: "single", attributes: TIMEOUTS }, ...optional },
  deletion_protection: { ...names, description: "Names, type/kind/name or patterns of objects that no apply may delete." },
  allow_deletion: { ...names, description: "Exact names of objects that may be deleted although they are protected." },
  retain: { ...names, description: "Exact names of objects that stay on the service when Terraform removes them." },
};

const WEEK = 7 * 24 * 3600;
const RANGES: readonly (readonly [path: readonly string[], min: number, max: number])[] = [
  [["poll_seconds"], 0.1, 3600],
  [["timeouts", "request_seconds"], 0.1, 3600],
  [["timeouts", "create_seconds"], 1, WEEK],
  [["timeouts", "ready_seconds"], 1, WEEK],
  [["timeouts", "delete_seconds"], 1, WEEK],
];

/** `configure` checks the URL and the files. */
export function settingsProblems(config: ObjectValue): Diagnostic[] {
  const problem = (path: AttributePath, rule: string): Diagnostic => ({
    severity: "error",
    summary: `'${renderAttributePath(path)}' must ${rule} [INVALID_SETTING]`,
    path,
  });
  const platform = config.platform ?? null;
  const brokenName = typeof platform === "string" && platform !== "" ? brokenPlatformNameRule(platform) : undefined;
  return [
    ...(brokenName === undefined ? [] : [problem(["platform"], brokenName)]),
    ...RANGES.flatMap(([path, min, max]) => {
      const value = numberAt(config, path);
      return value === undefined || (value >= min && value <= max)
        ? []
        : [problem(path, `be a number of seconds from ${min} to ${max}, got ${value}`)];
    }),
    ...listProblems(config, "deletion_protection", isPattern, PATTERN_RULE),
    ...listProblems(config, "allow_deletion", isExact, EXACT_RULE),
    ...listProblems(config, "retain", isExact, EXACT_RULE),
  ];

  function listProblems(of: ObjectValue, name: string, fits: (text: string) => boolean, rule: string): Diagnostic[] {
    return texts(of[name])
      .filter((text) => !fits(text))
      .map((text) => problem([name], `${rule}, got ${JSON.stringify(text)}`));
  }
}

/** @throws INVALID_SETTING if a value is unknown */
export function readSettings(config: ObjectValue): Settings {
  const { hand_over: handOver = null } = config;
  const isReadable = (name: string) => (name === "hand_over" ? !(handOver instanceof Unknown) : isWhollyKnown(config[name]!));
  const unknown = Object.keys(config).find((name) => !isReadable(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `provider clusterplatform: '${unknown}' must be known when Terraform plans: write it as a literal, a variable or a local, and not as the attribute of a resource`,
    );
  }
  const text = (name: string) => (config[name] as string | null | undefined) ?? undefined;
  const flag = (name: string) => (config[name] as boolean | null | undefined) ?? undefined;
  return {
    platform: text("platform") ?? "",
    workspace: text("workspace") ?? "",
    declared: config.declared === undefined || config.declared === null ? undefined : texts(config.declared),
    elsewhere: ((config.declared_elsewhere ?? []) as readonly ObjectValue[]).map(({ platform, url, objects }) => ({
      platform: (platform as string | null) ?? "",
      url: (url as string | null) ?? "",
      objects: texts(objects),
    })),
    handOver: handOver === null ? undefined : declarationsIn(handOver),
    connection: {
      url: text("url"),
      caFile: text("ca_file"),
      insecureSkipVerify: flag("insecure_skip_verify"),
      allowPlainHttp: flag("allow_plain_http"),
      requestSeconds: numberAt(config, ["timeouts", "request_seconds"]),
    },
    times: {
      createSeconds: numberAt(config, ["timeouts", "create_seconds"]) ?? 600,
      readySeconds: numberAt(config, ["timeouts", "ready_seconds"]) ?? 3600,
      deleteSeconds: numberAt(config, ["timeouts", "delete_seconds"]) ?? 1800,
      pollSeconds: numberAt(config, ["poll_seconds"]) ?? 5,
    },
    deletionProtection: texts(config.deletion_protection),
    allowDeletion: texts(config.allow_deletion),
    retain: texts(config.retain),
  };
}

function declarationsIn(handOver: Value): ReadonlyMap<string, Declared | undefined> {
  const entries = Object.entries(handOver as ObjectValue);
  return new Map(entries.map(([id, declared]) => [id, isWhollyKnown(declared) ? (declared as Declared) : undefined]));
}

function numberAt(config: ObjectValue, path: readonly string[]): number | undefined {
  const value = path.reduce<Value>(
    (at, name) => (at instanceof Unknown ? at : ((at as ObjectValue | null)?.[name] ?? null)),
    config,
  );
  return value === null || value instanceof Unknown ? undefined : Number(decimalText(value as number | bigint | Decimal));
}

function texts(value: Value = null): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
