import * as z from "zod/mini";
import { renderPath } from "../../../util/prop-path";
import { isExact } from "../../../model/protection";
import { invalidDocument, readDigested } from "../../report/document";
import { isPattern, PATTERN_RULE, objectMatcher } from "../../../model/object-pattern";
import { VERDICTS } from "./finding";
import { holdingOn } from "./gate";

const POLICY_DOCUMENT = `a review policy as JSON, as in ${JSON.stringify({
  version: 1,
  allow: [{ object: "capvs/clusters/old", verdict: "DESTROY" }],
  rules: [{ rule: "forbid-destroy", objects: ["prod-*"] }],
})}`;

const TEXT_RULE = "be text that is not empty";
const text = z.string(TEXT_RULE).check(z.minLength(1, TEXT_RULE));
const OBJECT_RULE =
  "be one object as type/kind/name, for example capvs/clusters/prod. With both stack and expires, it may be a pattern";
const LIMIT_RULE = "be a whole number, 0 or more";
const limit = z.int(LIMIT_RULE).check(z.minimum(0, LIMIT_RULE));
const PATTERNS_RULE = "be a list of at least one name or pattern";
const pattern = z.pipe(
  z
    .string(PATTERN_RULE)
    .check(z.refine((value) => isPattern(value), { error: ({ input }) => `${PATTERN_RULE}, got ${JSON.stringify(input)}` })),
  z.transform((written) => ({ text: written, matches: objectMatcher(written) })),
);
const patterns = z.array(pattern, PATTERNS_RULE).check(z.minLength(1, PATTERNS_RULE));
const why = z.optional(text);
const expires = z.optional(z.iso.date("be a date, for example 2026-01-31"));

const allowance = z.pipe(
  z
    .strictObject(
      {
        object: z.string(OBJECT_RULE).check(z.refine((value) => isPattern(value), OBJECT_RULE)),
        verdict: z.enum(VERDICTS, `be one of ${VERDICTS.join(", ")}`),
        stack: z.optional(text),
        expires,
        why,
      },
      "be an object",
    )
    .check(
      z.refine((each) => isOneObject(each.object) || (each.stack !== undefined && each.expires !== undefined), {
        error: OBJECT_RULE,
        path: ["object"],
      }),
    ),
  z.transform((each) => ({ ...each, covers: objectMatcher(each.object) })),
);

function isOneObject(pattern: string): boolean {
  return pattern.includes("/") && isExact(pattern);
}

const DIGEST_RULE = "be the SHA-256 of a foreign part in hexadecimal, as the review prints it";
const foreign = z.strictObject(
  { digest: z.string(DIGEST_RULE).check(z.regex(/^[0-9a-f]{64}$/, DIGEST_RULE)), expires, why },
  "be an object",
);

const rules = [
  z.strictObject({ rule: z.literal("forbid-destroy"), objects: patterns, why }),
  z.strictObject({ rule: z.literal("max-clusters-created"), count: limit, why }),
  z.strictObject({ rule: z.literal("max-clusters-deleted"), count: limit, why }),
  z.strictObject({ rule: z.literal("require-deletion-protection"), objects: patterns, why }),
  z.strictObject({ rule: z.literal("forbid-weakened-settings"), why }),
] as const;
const rule = z.discriminatedUnion("rule", rules, `be one of ${rules.map(({ shape }) => shape.rule.def.values[0]).join(", ")}`);

const policy = z.strictObject(
  {
    version: z.literal(1, "be 1"),
    allow: z._default(z.array(allowance, "be a list"), []),
    rules: z._default(z.array(rule, "be a list"), []),
    foreign: z._default(z.array(foreign, "be a list"), []),
  },
  "be an object",
);

export type Allowance = z.infer<typeof allowance>;

export type PolicyRule = z.infer<typeof rule>;

export interface Policy extends Omit<z.infer<typeof policy>, "version"> {
  /** SHA-256 of each file, in hexadecimal. */
  readonly digests?: readonly string[];
}

/** The digests of foreign parts that hold today. */
export function allowedForeign({ foreign }: Policy, now: Date): ReadonlyMap<string, { readonly why?: string | undefined }> {
  return new Map(foreign.filter(holdingOn(now)).map((each) => [each.digest, each]));
}

/** An allowance or a rule of any file holds. @throws INVALID_DOCUMENT naming every problem of a file */
export function readPolicy(files: readonly string[]): Policy {
  const documents = files.map((file) => ({ file, ...readDigested(file, POLICY_DOCUMENT) }));
  const policies = documents.map(({ json, file }) => parsePolicy(json, file));
  return {
    digests: documents.map(({ digest }) => digest),
    allow: policies.flatMap(({ allow }) => allow),
    rules: policies.flatMap(({ rules }) => rules),
    foreign: policies.flatMap(({ foreign }) => foreign),
  };
}

/** @throws INVALID_DOCUMENT naming every problem */
export function parsePolicy(json: unknown, file: string): Policy {
  const parsed = policy.safeParse(json);
  if (parsed.success) return parsed.data;
  throw invalidDocument(file, POLICY_DOCUMENT, `but ${parsed.error.issues.flatMap(problems).join("; ")}`);
}

function problems(issue: z.core.$ZodIssue): string[] {
  const place = renderPath(issue.path);
  if (issue.code !== "unrecognized_keys") return [`'${place || "the document"}' must ${issue.message}`];
  return issue.keys.map((key) => `'${place ? `${place}.` : ""}${key}' is not a field here`);
}
