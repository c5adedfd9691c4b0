import type { Construct } from "constructs";
import * as z from "zod/mini";
import { brokenPlatformNameRule } from "../contract/addresses";
import { baseUrlProblem, isUnencrypted } from "../model/base-url";
import type { PlatformSettings } from "../contract/platform-settings";
import { isPattern, PATTERN_RULE } from "../model/object-pattern";
import { isPlainObject } from "../util/prop-path";
import { DEFAULT_PROTECTION, EXACT_RULE, isExact } from "../model/protection";
import { rangeRule, TIME_LIMITS, timesOf } from "../model/time-limits";
import { problemsOf, renderValue } from "../declarations/rules";
import type { Dependency } from "./synth/dependencies";
import { Engine } from "./engine";
import { pathFromStack } from "./synth/project-files";
import { holdsToken, isToken } from "./synth/tokens";

/** Time limits of a Platform. A change replaces nothing. */
export interface PlatformTimeouts {
  /**
   * Time limit of one attempt of a request, up to the last byte of the reply, in seconds, 0.1 to 3600. A list of 10,000 clusters
   * is about 8 MB. If the network carries less than 1.5 Mbit/s, set a longer time.
   * @default 60
   */
  readonly requestSeconds?: number;
  /**
   * Time limit of a create over all attempts, until the service has the object, in seconds, 1 to 604800. It includes the time in
   * which the service refuses a cluster because its provider is not ready yet. Looks before the first attempt have their own time.
   * @default 600
   */
  readonly createSeconds?: number;
  /**
   * Time limit of the wait until all clusters of the Platform are Provisioned, in seconds, 1 to 604800. On timeout the apply
   * fails and nothing is replaced. The next apply waits again.
   * @default 3600
   */
  readonly readySeconds?: number;
  /**
   * Time limit of a deletion, until the object has left the service's lists, in seconds, 1 to 604800. Looks before the
   * request have their own time. On timeout the apply fails, and Terraform keeps the object in its state. The next apply continues.
   * @default 1800
   */
  readonly deleteSeconds?: number;
}

/** TLS settings for requests to the service. A change replaces nothing. */
export interface PlatformTls {
  /**
   * Path of a PEM file of additional certificate authorities on the machine that runs the apply. The path is absolute, begins
   * with `~/`, or is relative to the project's folder, as in {@link Secret.fromFile}.
   * @default - the authorities of the system; `CLUSTER_PLATFORM_CA_FILE` at run time
   */
  readonly caFile?: string;
  /** Accepts any certificate. An attacker on the network can then read the token. Every run warns. @default false */
  readonly insecureSkipVerify?: boolean;
  /**
   * Allows sending the token over plain HTTP to another machine. Without it, an `http` {@link PlatformProps.url} of another
   * machine is refused at construction. For a URL from `CLUSTER_PLATFORM_URL`, the variable `CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP=1`
   * allows it as well.
   * @default false
   */
  readonly allowPlainHttp?: boolean;
}

/**
 * Props of a {@link Platform}: the address of the service, and the handling of the stack's objects. No change here
 * replaces an object. `name` must stay, because state depends on it.
 */
export interface PlatformProps {
  /**
   * Prefix of the Terraform ids: lower-case letters, digits and `_`. The second Platform of a stack needs one. State depends on
   * it: with another name, Terraform treats every object of the Platform as a different one.
   * @default - no prefix
   */
  readonly name?: string;
  /**
   * Base URL of the service, such as `https://platform.example.com`, without `/api/v1`. It must be known at synth, because destroy
   * hooks, `review` and `doctor` cannot read tokens. For a URL that is known later, set `CLUSTER_PLATFORM_URL`. A stack has one
   * Platform per service. So the Platforms of a stack have different URLs, and only one of them may leave it out.
   * @default - `CLUSTER_PLATFORM_URL` where Terraform runs
   */
  readonly url?: string;
  /**
   * The kind of Terraform resources that represent the objects. docs/migration.md says how to change it.
   * @default Engine.NULL_RESOURCE
   */
  readonly engine?: Engine;
  /**
   * Providers and clusters that no apply may delete, whether by removal, by replacement or by `destroy`. A list has names,
   * `type/kind/name` or patterns such as `prod-*`, and replaces the default. `true` protects all objects, `false` none. {@link
   * allowDeletion} makes exceptions. The setting is on the Platform, because it must stay when the construct of a cluster is
   * removed.
   * @default ["*\/clusters/*"] - every cluster, because every changed field deletes one with everything on it
   */
  readonly deletionProtection?: boolean | string[];
  /**
   * Exact names (or `type/kind/name`) of protected objects that may be deleted, such as `["prod"]`. Add them in the change that
   * removes or replaces the objects, and remove them afterwards.
   * @default - none
   */
  readonly allowDeletion?: string[];
  /**
   * Exact names (or `type/kind/name`) of objects that stay on the service when Terraform removes them from the state. To move an
   * object to another stack, use `retain` here and `adopt` there. An entry that names nothing in the code and nothing on the
   * service refuses all deletions and replacements, because it may be a typo.
   * @default - none
   */
  readonly retain?: string[];
  /** @default - see {@link PlatformTimeouts} */
  readonly timeouts?: PlatformTimeouts;
  /** Time between two polls of the service while waiting, in seconds, 0.1 to 3600. One poll covers all clusters. @default 5 */
  readonly pollSeconds?: number;
  /** @default - certificates are verified against the authorities of the system */
  readonly tls?: PlatformTls;
  /**
   * Constructs that Terraform creates before all providers and clusters of the Platform, and deletes after them. See {@link
   * ManagedObjectProps.dependsOn}.
   * @default - none
   */
  readonly dependsOn?: Dependency[];
}

/** @param otherUrls of the stack's other Platforms, which may be made later */
export function platformSettings(
  scope: Construct,
  props: PlatformProps,
  otherUrls: () => readonly string[] = () => [],
): PlatformSettings {
  const { url, tls = {}, timeouts = {}, deletionProtection = DEFAULT_PROTECTION } = props;
  return {
    ...(props.name && { platform: props.name }),
    connection: {
      url,
      get otherUrls() {
        // Synth compares literals.
        const urls = url === undefined ? otherUrls() : [];
        return urls.length > 0 ? urls : undefined;
      },
      ...tls,
      ...(tls.caFile !== undefined && { caFile: pathFromStack(scope, tls.caFile) }),
      requestSeconds: timeouts.requestSeconds,
    },
    ...timesOf({
      createSeconds: timeouts.createSeconds,
      readySeconds: timeouts.readySeconds,
      deleteSeconds: timeouts.deleteSeconds,
      pollSeconds: props.pollSeconds,
    }),
    deletionProtection: deletionProtection === false ? [] : deletionProtection,
    allowDeletion: props.allowDeletion ?? [],
    retain: props.retain ?? [],
  };
}

const seconds = (name: keyof typeof TIME_LIMITS) => {
  const limit = TIME_LIMITS[name];
  const rule = rangeRule(limit);
  return z.optional(z.number(rule).check(z.minimum(limit.min, rule), z.maximum(limit.max, rule)));
};
const exactNames = z.array(z.string(EXACT_RULE).check(z.refine(isExact, EXACT_RULE)), "be a list of names");

/** Each prop has a rule, and the rule gives a value of the prop's type. */
type RulesOf<Props> = { readonly [Prop in keyof Props]-?: z.ZodMiniType<Props[Prop]> };

const platformProps = z.strictObject({
  name: z.optional(
    z.string("be a string").check(({ value, issues }) => {
      const message = brokenPlatformNameRule(value);
      if (message) issues.push({ code: "custom", input: value, message });
    }),
  ),
  url: z.optional(z.string("be a string")),
  engine: z.optional(z.enum(Engine, "be Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA or Engine.PROVIDER")),
  deletionProtection: z.optional(
    z.union([z.boolean(), z.array(z.string())], "be true, false or a list of names and patterns").check(({ value, issues }) => {
      if (typeof value === "boolean") return;
      value.forEach((input, index) => {
        if (!isPattern(input)) issues.push({ code: "custom", input, path: [index], message: PATTERN_RULE });
      });
    }),
  ),
  allowDeletion: z.optional(exactNames),
  retain: z.optional(exactNames),
  timeouts: z.optional(
    z.strictObject(
      {
        requestSeconds: seconds("requestSeconds"),
        createSeconds: seconds("createSeconds"),
        readySeconds: seconds("readySeconds"),
        deleteSeconds: seconds("deleteSeconds"),
      } satisfies RulesOf<PlatformTimeouts>,
      "be an object",
    ),
  ),
  pollSeconds: seconds("pollSeconds"),
  tls: z.optional(
    z.strictObject(
      {
        caFile: z.optional(z.string("be a path").check(z.minLength(1, "not be empty"))),
        insecureSkipVerify: z.optional(z.boolean("be true or false")),
        allowPlainHttp: z.optional(z.boolean("be true or false")),
      } satisfies RulesOf<PlatformTls>,
      "be an object",
    ),
  ),
} satisfies RulesOf<Omit<PlatformProps, "dependsOn">>);

/** Arguments of Terraform's resources that a Platform does not take. */
const OF_RESOURCES = ["lifecycle", "count", "forEach", "provider", "provisioners", "connection"];

/** Except the rules of `dependsOn`, whose values are constructs. */
export function checkPlatformProps(all: PlatformProps): string[] {
  if (typeof all !== "object" || all === null) return [`the props must be an object, got ${renderValue(all)}`];
  const { dependsOn: _, ...props } = all;
  const ofResources = Object.keys(props).filter((prop) => OF_RESOURCES.includes(prop));
  if (ofResources.length > 0) {
    return ofResources.map(
      (prop) => `'${prop}' is not a prop here, because a Platform is not a resource: write it on its objects`,
    );
  }
  const tokens = tokenProblems(props);
  if (tokens.length > 0) return tokens;
  const problems = problemsOf(platformProps, props).map(({ message }) => message);
  const urlProblem = typeof props.url === "string" && baseUrlProblem(props.url);
  if (urlProblem) problems.push(`'url' must ${urlProblem}`);
  else if (props.url !== undefined && problems.length === 0 && !props.tls?.allowPlainHttp && isUnencrypted(new URL(props.url))) {
    problems.push(
      `'url' must be an https URL, because ${new URL(props.url).origin} would receive the token unencrypted; ` +
        "if the network is protected in another way, add tls: { allowPlainHttp: true }",
    );
  }
  return problems;
}

/** What the constructs of a Platform's objects need of its refused props. The synth fails, so nothing else of it has an effect. */
export function withoutRefused(props: PlatformProps | null): PlatformProps {
  const { name, engine } = props ?? {};
  return {
    ...(typeof name === "string" && brokenPlatformNameRule(name) === undefined && { name }),
    ...(Object.values(Engine).includes(engine!) && { engine }),
  };
}

/** Settings that the environment of a run may have instead. */
const VARIABLES: Readonly<Record<string, string>> = {
  url: "CLUSTER_PLATFORM_URL",
  "tls.caFile": "CLUSTER_PLATFORM_CA_FILE",
  "tls.insecureSkipVerify": "CLUSTER_PLATFORM_INSECURE_SKIP_VERIFY=1",
  "tls.allowPlainHttp": "CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP=1",
};

function tokenProblems(props: PlatformProps): string[] {
  const { tls, ...others } = props;
  const ofTls =
    isPlainObject(tls) && !isToken(tls) ? Object.entries(tls).map(([name, value]) => [`tls.${name}`, value]) : [["tls", tls]];
  const reason =
    props.engine === Engine.PROVIDER
      ? "because review and doctor read the settings without Terraform"
      : "because destroy hooks may not read tokens";
  return ([...Object.entries(others), ...ofTls] as [string, unknown][])
    .filter(([, value]) => holdsToken(value))
    .map(([prop]) => {
      const variable = VARIABLES[prop];
      const wayOut = variable
        ? `leave it out and set ${variable} where Terraform runs`
        : "write a literal, or a value that the program knows at synth, as from process.env";
      return `'${prop}' must be known at synth, ${reason}, got a token; ${wayOut}`;
    });
}
