import type { Construct } from "constructs";
import { z } from "zod";
import { brokenPlatformNameRule } from "../contract/addresses";
import { baseUrlProblem, isUnencrypted } from "../model/base-url";
import type { HookSettings } from "../contract/hook-protocol";
import { isPattern, PATTERN_RULE } from "../model/object-pattern";
import { DEFAULT_PROTECTION, EXACT_RULE, isExact } from "../model/protection";
import { problemsOf } from "../declarations/rules";
import type { Dependency } from "./dependencies";
import { Engine } from "./engine";
import { pathFromStack } from "./project-files";
import { holdsToken } from "./tokens";

/** How long the hooks of a Platform try and wait. A change replaces nothing. */
export interface PlatformTimeouts {
  /**
   * One attempt of one request, from the connection to the last byte of the answer, in seconds, 0.1 to 3600. A list of
   * 10,000 clusters is about 8 MB: where the way to the service carries less than 1.5 Mbit/s, allow more.
   *
   * @default 60
   */
  readonly requestSeconds?: number;
  /**
   * A create over all attempts, until the service has the object, in seconds, 1 to 604800. It covers the time in which a
   * service refuses a cluster because its provider is not ready yet.
   *
   * @default 600
   */
  readonly createSeconds?: number;
  /**
   * All clusters of the Platform together, until each is Provisioned, in seconds, 1 to 604800. When it runs out the apply fails,
   * nothing is replaced, and the next apply waits again.
   *
   * @default 3600
   */
  readonly readySeconds?: number;
  /**
   * A deletion, until the object has left the service's lists, in seconds, 1 to 604800. When it runs out Terraform keeps the
   * object in its state and the next apply continues.
   *
   * @default 1800
   */
  readonly deleteSeconds?: number;
}

/** How the hooks reach the service securely. A change replaces nothing. */
export interface PlatformTls {
  /**
   * Path of a PEM file of further certificate authorities, on the machine that applies: absolute, beginning with `~/`, or
   * relative to the project's folder, as in {@link Secret.fromFile}.
   *
   * @default - the authorities of the system; `CLUSTER_PLATFORM_CA_FILE` at run time
   */
  readonly caFile?: string;
  /**
   * Accepts any certificate. Whoever is between you and the service can then read the token; every run warns.
   *
   * @default false
   */
  readonly insecureSkipVerify?: boolean;
  /**
   * Sends the token over plain HTTP to a host that is not this machine. Without it an `http` {@link PlatformProps.url}
   * of another machine is refused at construction. For a URL from `CLUSTER_PLATFORM_URL`, the variable
   * `CLUSTER_PLATFORM_ALLOW_PLAIN_HTTP=1` allows it as well.
   *
   * @default false
   */
  readonly allowPlainHttp?: boolean;
}

/** Where the service is, and how the objects of one stack are handled. No change here replaces an object. */
export interface PlatformProps {
  /**
   * Prefix of the Terraform ids, needed by the second Platform of a stack: lower-case letters, digits and `_`.
   * State depends on it: with another name every object of the Platform is another one.
   *
   * @default - no prefix
   */
  readonly name?: string;
  /**
   * Base URL of the service, as in `https://platform.example.com`; the paths of its interface are appended. A
   * literal, since destroy hooks may not read tokens.
   *
   * @default - `CLUSTER_PLATFORM_URL` when the hooks run
   */
  readonly url?: string;
  /**
   * What carries the objects in Terraform.
   *
   * @default Engine.NULL_RESOURCE
   */
  readonly engine?: Engine;
  /**
   * The engine that carried the objects before, so that a switch of {@link engine} sends no request: from
   * `Engine.NULL_RESOURCE` to `Engine.TERRAFORM_DATA`, or from either to `Engine.PROVIDER`. There is no way back. Needs
   * Terraform 1.9 or OpenTofu 1.10; older ones refuse it and touch nothing. Remove it after every state was applied once.
   *
   * @default - nothing is migrated
   */
  readonly migrateFrom?: Engine;
  /**
   * Providers and clusters that no apply may delete, neither by removal nor by replacement nor by `destroy`: names,
   * `type/kind/name` or patterns such as `prod-*`; `true` for all of them, `false` for none. A list takes the place of
   * the default. {@link allowDeletion} makes exceptions. It is written here and not on the cluster because it must
   * outlive the cluster's construct.
   *
   * @default ["*\/clusters/*"] - every cluster, because every changed field deletes one with everything on it
   */
  readonly deletionProtection?: boolean | string[];
  /**
   * Exact names (or `type/kind/name`) that may be deleted although they are protected, as in `["prod"]`: write them in
   * the change that removes or replaces the objects, and take them out afterwards.
   *
   * @default - none
   */
  readonly allowDeletion?: string[];
  /**
   * Exact names (or `type/kind/name`) that stay on the service when Terraform lets go of them. With `adopt` in
   * another stack, this is how an object moves there.
   *
   * @default - none
   */
  readonly retain?: string[];
  /** @default - see {@link PlatformTimeouts} */
  readonly timeouts?: PlatformTimeouts;
  /**
   * Time between two looks at the service while waiting, in seconds, 0.1 to 3600; one look serves all clusters.
   *
   * @default 5
   */
  readonly pollSeconds?: number;
  /** @default - certificates are verified against the authorities of the system */
  readonly tls?: PlatformTls;
  /**
   * What is made before any provider or cluster of the Platform, and deleted after all of them: like
   * {@link ManagedObjectProps.dependsOn} of each.
   *
   * @default - none
   */
  readonly dependsOn?: Dependency[];
}

/** What hooks need of a Platform's props, defaults filled in. */
export function hookSettings(scope: Construct, props: PlatformProps): HookSettings {
  const { url, tls = {}, timeouts = {}, deletionProtection = DEFAULT_PROTECTION } = props;
  return {
    ...(props.name && { platform: props.name }),
    connection: {
      url,
      ...tls,
      ...(tls.caFile !== undefined && { caFile: pathFromStack(scope, tls.caFile) }),
      requestSeconds: timeouts.requestSeconds,
    },
    createSeconds: timeouts.createSeconds ?? 600,
    readySeconds: timeouts.readySeconds ?? 3600,
    deleteSeconds: timeouts.deleteSeconds ?? 1800,
    pollSeconds: props.pollSeconds ?? 5,
    deletionProtection: deletionProtection === false ? [] : deletionProtection,
    allowDeletion: props.allowDeletion ?? [],
    retain: props.retain ?? [],
  };
}

const seconds = (min: number, max: number) => {
  const rule = `be a number of seconds from ${min} to ${max}`;
  return z.number(rule).min(min, rule).max(max, rule).optional();
};
const WEEK = 7 * 24 * 3600;
const exactNames = z.array(z.string(EXACT_RULE).refine(isExact, EXACT_RULE), "be a list of names");

const platformProps = z.strictObject({
  name: z
    .string("be a string")
    .check(({ value, issues }) => {
      const message = brokenPlatformNameRule(value);
      if (message) issues.push({ code: "custom", input: value, message });
    })
    .optional(),
  url: z.string("be a string").optional(),
  engine: z.enum(Engine, "be Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA or Engine.PROVIDER").optional(),
  migrateFrom: z.enum(Engine, "be Engine.NULL_RESOURCE or Engine.TERRAFORM_DATA").optional(),
  deletionProtection: z
    .union([z.boolean(), z.array(z.string())], "be true, false or a list of names and patterns")
    .check(({ value, issues }) => {
      if (typeof value === "boolean") return;
      value.forEach((input, index) => {
        if (!isPattern(input)) issues.push({ code: "custom", input, path: [index], message: PATTERN_RULE });
      });
    })
    .optional(),
  allowDeletion: exactNames.optional(),
  retain: exactNames.optional(),
  timeouts: z
    .strictObject(
      {
        requestSeconds: seconds(0.1, 3600),
        createSeconds: seconds(1, WEEK),
        readySeconds: seconds(1, WEEK),
        deleteSeconds: seconds(1, WEEK),
      },
      "be an object",
    )
    .optional(),
  pollSeconds: seconds(0.1, 3600),
  tls: z
    .strictObject(
      {
        caFile: z.string("be a path").min(1, "not be empty").optional(),
        insecureSkipVerify: z.boolean("be true or false").optional(),
        allowPlainHttp: z.boolean("be true or false").optional(),
      },
      "be an object",
    )
    .optional(),
});

/** Props of a resource that a Platform does not have. */
const OF_RESOURCES = ["lifecycle", "count", "forEach", "provider", "provisioners", "connection"];

/** Every broken rule of a Platform's props, but for `dependsOn`, whose values are constructs. */
export function checkPlatformProps(all: PlatformProps): string[] {
  if (typeof all !== "object" || all === null) return [`the props must be an object, got ${JSON.stringify(all)}`];
  const { dependsOn: _, ...props } = all;
  const ofResources = Object.keys(props).filter((prop) => OF_RESOURCES.includes(prop));
  if (ofResources.length > 0) {
    return ofResources.map(
      (prop) => `'${prop}' is not a prop here, because a Platform is not a resource: write it on its objects`,
    );
  }
  const tokens = Object.entries(props).filter(([, value]) => holdsToken(value));
  if (tokens.length > 0) {
    return tokens.map(([prop]) => `'${prop}' must be known at synth, because destroy hooks may not read tokens, got a token`);
  }
  const problems = problemsOf(platformProps, props).map(({ message }) => message);
  const urlProblem = typeof props.url === "string" && baseUrlProblem(props.url);
  if (urlProblem) problems.push(`'url' must ${urlProblem}`);
  else if (props.url !== undefined && problems.length === 0 && !props.tls?.allowPlainHttp && isUnencrypted(new URL(props.url))) {
    problems.push(
      `'url' must be an https URL, because ${new URL(props.url).origin} would receive the token unencrypted; ` +
        "where the way to it is safe by other means, add tls: { allowPlainHttp: true }",
    );
  }
  const { engine = Engine.NULL_RESOURCE, migrateFrom } = props;
  if (problems.length === 0 && migrateFrom !== undefined && !SOURCES[engine].includes(migrateFrom)) {
    const names = SOURCES[engine].map(nameOf).join(" or ");
    const rule = names === "" ? "be left out" : `be ${names}`;
    problems.push(`'migrateFrom' must ${rule} with engine: ${nameOf(engine)}, got ${nameOf(migrateFrom)}`);
  }
  return problems;
}

/** The engines whose objects each engine takes over. */
const SOURCES: Readonly<Record<Engine, readonly Engine[]>> = {
  [Engine.NULL_RESOURCE]: [],
  [Engine.TERRAFORM_DATA]: [Engine.NULL_RESOURCE],
  [Engine.PROVIDER]: [Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA],
};

const nameOf = (engine: Engine) => `Engine.${Object.keys(Engine).find((name) => Engine[name as keyof typeof Engine] === engine)}`;
