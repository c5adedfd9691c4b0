import { brokenPlatformNameRule } from "./addresses";
import type { PlatformSettings } from "./platform-settings";
import { ConfigurationError } from "../model/errors";
import { isPattern, PATTERN_RULE } from "../model/object-pattern";
import { EXACT_RULE, isExact } from "../model/protection";
import { rangeRule, TIME_LIMITS, timesOf } from "../model/time-limits";
import { renderAttributePath, type AttributePath, type Attributes } from "../terraform/attributes";
import type { Diagnostic } from "../terraform/diagnostic";
import { decimalText, isWhollyKnown, Unknown, type Decimal, type ObjectValue, type Value } from "../terraform/value";

/** The arguments of a provider block. */
export interface ProviderSettings extends PlatformSettings {
  readonly workspace: string;
  /** Ids of all objects that the code declares. Undefined in a provider block that does not say it. */
  readonly declared?: readonly string[];
}

const optional = { optional: true } as const;
const names = { type: ["list", "string"], ...optional } as const;
const seconds = (name: keyof typeof TIME_LIMITS, what: string) => {
  const { min, max, default: usual } = TIME_LIMITS[name];
  return { type: "number", ...optional, description: `${what}, from ${min} to ${max}. Default: ${usual}.` } as const;
};

const TIMEOUTS = {
  request_seconds: seconds("requestSeconds", "One attempt of one request"),
  create_seconds: seconds("createSeconds", "All attempts of one create"),
  ready_seconds: seconds("readySeconds", "All clusters together until each is Provisioned"),
  delete_seconds: seconds("deleteSeconds", "A deletion until the object has left the lists"),
} satisfies Attributes;

export const PROVIDER_ATTRIBUTES: Attributes = {
  platform: { type: "string", ...optional, description: "The name of the Platform. The ids of its blocks begin with it." },
  workspace: { type: "string", ...optional, description: "The Terraform workspace: terraform.workspace." },
  declared: {
    ...names,
    description:
      "The objects that the code declares, as type/kind/name. The clusterplatform_ready that has them all fails while an object of an interrupted apply lives that is neither declared nor in the state.",
  },
  url: { type: "string", ...optional, description: "The base URL of the service. Default: CLUSTER_PLATFORM_URL." },
  other_urls: {
    ...names,
    description: "The URLs of the stack's other provider blocks. CLUSTER_PLATFORM_URL must be none of them.",
  },
  ca_file: { type: "string", ...optional, description: "The path of a PEM file of further certificate authorities." },
  insecure_skip_verify: { type: "bool", ...optional, description: "Accepts any certificate. Every run warns." },
  allow_plain_http: { type: "bool", ...optional, description: "Sends the token over plain HTTP to another machine." },
  poll_seconds: seconds("pollSeconds", "The polling interval while waiting"),
  timeouts: { nested: { nesting: "single", attributes: TIMEOUTS }, ...optional },
  deletion_protection: { ...names, description: "Names, type/kind/name or patterns of objects that no apply may delete." },
  allow_deletion: { ...names, description: "Exact names of objects that may be deleted although they are protected." },
  retain: { ...names, description: "Exact names of objects that stay on the service when Terraform removes them." },
};

const PATHS = {
  pollSeconds: ["poll_seconds"],
  requestSeconds: ["timeouts", "request_seconds"],
  createSeconds: ["timeouts", "create_seconds"],
  readySeconds: ["timeouts", "ready_seconds"],
  deleteSeconds: ["timeouts", "delete_seconds"],
} as const satisfies Readonly<Record<keyof typeof TIME_LIMITS, AttributePath>>;

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
    ...(Object.keys(PATHS) as (keyof typeof PATHS)[]).flatMap((name) => {
      const [limit, value] = [TIME_LIMITS[name], secondsIn(config, name)];
      return value === undefined || (value >= limit.min && value <= limit.max)
        ? []
        : [problem(PATHS[name], `${rangeRule(limit)}, got ${value}`)];
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
export function readProviderSettings(config: ObjectValue): ProviderSettings {
  const unknown = Object.keys(config).find((name) => !isWhollyKnown(config[name]!));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      "INVALID_SETTING",
      `provider clusterplatform: '${unknown}' must be known when Terraform plans: write it as a literal, a variable or a local, and not as the attribute of a resource`,
    );
  }
  return {
    ...platformSettingsIn(config),
    workspace: (config.workspace as string | null | undefined) ?? "",
    declared: config.declared === undefined || config.declared === null ? undefined : texts(config.declared),
  };
}

/** The arguments that say the same as the settings of a hook, all of them known. */
export function platformSettingsIn(config: ObjectValue): PlatformSettings {
  const text = (name: string) => (config[name] as string | null | undefined) ?? undefined;
  const flag = (name: string) => (config[name] as boolean | null | undefined) ?? undefined;
  const platform = text("platform");
  return {
    ...(platform && { platform }),
    connection: {
      url: text("url"),
      ...((config.other_urls ?? null) !== null && { otherUrls: texts(config.other_urls) }),
      caFile: text("ca_file"),
      insecureSkipVerify: flag("insecure_skip_verify"),
      allowPlainHttp: flag("allow_plain_http"),
      requestSeconds: secondsIn(config, "requestSeconds"),
    },
    ...timesOf({
      createSeconds: secondsIn(config, "createSeconds"),
      readySeconds: secondsIn(config, "readySeconds"),
      deleteSeconds: secondsIn(config, "deleteSeconds"),
      pollSeconds: secondsIn(config, "pollSeconds"),
    }),
    deletionProtection: texts(config.deletion_protection),
    allowDeletion: texts(config.allow_deletion),
    retain: texts(config.retain),
  };
}

function secondsIn(config: ObjectValue, name: keyof typeof PATHS): number | undefined {
  const path: readonly string[] = PATHS[name];
  const value = path.reduce<Value>(
    (at, name) => (at instanceof Unknown ? at : ((at as ObjectValue | null)?.[name] ?? null)),
    config,
  );
  return value === null || value instanceof Unknown ? undefined : Number(decimalText(value as number | bigint | Decimal));
}

function texts(value: Value = null): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
