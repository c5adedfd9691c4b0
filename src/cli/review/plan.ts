import { z } from "zod";
import { ClusterPlatformError } from "../../api/errors";
import { renderPath } from "../../api/prop-path";
import type { JsonObject } from "../../api/provider-type";
import { invalidDocument, nameOf } from "../report/document";
import { stateResources, type StateResource } from "../report/state-values";
import { Configuration } from "./configuration";

export const PLAN_DOCUMENT = "a plan as JSON, as 'terraform show -json PLAN' prints it";

const change = z.object({
  address: z.string(),
  module_address: z.string().optional(),
  previous_address: z.string().optional(),
  mode: z.string().default("managed"),
  type: z.string(),
  name: z.string(),
  index: z.unknown().optional(),
  deposed: z.string().optional(),
  action_reason: z.string().optional(),
  change: z.object({
    actions: z.array(z.string()),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
    after_unknown: z.unknown().optional(),
    before_sensitive: z.unknown().optional(),
    after_sensitive: z.unknown().optional(),
    importing: z.unknown().optional(),
  }),
});

/**
 * What is read of a plan; fields that are not named here go no further. What a change holds is looked into only where
 * it carries an object: a plan may have thousands of others.
 */
const document = z.object({
  format_version: z.string(),
  terraform_version: z.string().optional(),
  resource_changes: z.array(change).default([]),
  output_changes: z.record(z.string(), z.object({ actions: z.array(z.string()) })).default({}),
  prior_state: z.object({ values: z.unknown().optional() }).optional(),
  configuration: z.unknown().optional(),
  checks: z.array(z.object({ status: z.string().optional() })).default([]),
  complete: z.boolean().default(true),
  errored: z.boolean().default(false),
});

export type ResourceChange = z.infer<typeof change>;

/** What Terraform would do, in its own words. */
export interface Plan {
  /** Of Terraform or OpenTofu; undefined where the document does not say. */
  readonly terraformVersion: string | undefined;
  /** False where the plan covers a part of the configuration only, as with `-target`. OpenTofu does not say. */
  readonly complete: boolean;
  readonly changes: readonly ResourceChange[];
  readonly outputChanges: number;
  readonly failedChecks: number;
  readonly configuration: Configuration;
  /** The resource instances that the state has now. */
  readonly state: readonly StateResource[];
}

/** @throws INVALID_DOCUMENT when it is not a plan, is of another format than 1.x, or is of a run that failed */
export function readPlan(json: unknown, file: string): Plan {
  const version = (json as JsonObject | null)?.format_version;
  if (typeof version === "string" && !/^1\.\d+$/.test(version)) {
    throw invalidDocument(
      file,
      `${PLAN_DOCUMENT}, of format 1.x`,
      `got format ${JSON.stringify(version)}; use a newer cluster-platform`,
    );
  }
  if (version !== undefined && !["resource_changes", "planned_values", "configuration"].some((key) => key in (json as object))) {
    throw invalidDocument(file, PLAN_DOCUMENT, "got a state; name the plan file in 'terraform show -json PLAN'");
  }
  const parsed = document.safeParse(json);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
    throw invalidDocument(file, PLAN_DOCUMENT, `but '${renderPath(path) || "the document"}' is not of its form (${message})`);
  }
  const { data } = parsed;
  if (data.errored) {
    throw new ClusterPlatformError(
      "INVALID_DOCUMENT",
      `${nameOf(file)} is of a plan that failed, so it does not say what an apply would do; mend what 'terraform plan' reports and plan again`,
    );
  }
  return {
    terraformVersion: data.terraform_version,
    complete: data.complete,
    changes: data.resource_changes,
    outputChanges: Object.values(data.output_changes).filter(({ actions }) => actions.join() !== "no-op").length,
    failedChecks: data.checks.filter(({ status }) => status === "fail" || status === "error").length,
    configuration: new Configuration(data.configuration),
    state: stateResources(data.prior_state?.values),
  };
}
