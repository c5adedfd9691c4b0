import { z } from "zod";
import { findings } from "../api/rules";
import { HookResource } from "./carrier";
import type { PlatformProps } from "./platform";
import { holdsToken } from "./tokens";

const NAME_RULE = "be lower-case letters, digits and '_', beginning with a letter, at most 40 characters";
const PATTERN_RULE = "be a name, type/kind/name or a pattern with '*'";
const EXACT_RULE = "be an exact name or type/kind/name, without '*'";
const URL_RULE = "be an absolute http or https URL without user, query and fragment, as in https://platform.example.com";

const seconds = (min: number) => {
  const rule = `be a number of seconds, at least ${min}`;
  return z.number(rule).min(min, rule).optional();
};
const names = (pattern: RegExp, rule: string) => z.array(z.string(rule).regex(pattern, rule), "be a list of names");

const platformProps = z.strictObject({
  name: z
    .string(NAME_RULE)
    .regex(/^[a-z][a-z0-9_]{0,39}$/, NAME_RULE)
    .optional(),
  url: z.string(URL_RULE).refine(isBaseUrl, URL_RULE).optional(),
  hookResource: z.enum(HookResource, "be HookResource.NULL_RESOURCE or HookResource.TERRAFORM_DATA").optional(),
  movedFromNullResource: z.boolean("be true or false").optional(),
  deletionProtection: z
    .union(
      [z.boolean(), names(/^[A-Za-z0-9*][A-Za-z0-9._/*-]*$/, PATTERN_RULE)],
      "be true, false or a list of names and patterns",
    )
    .optional(),
  allowDeletion: names(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, EXACT_RULE).optional(),
  retain: names(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, EXACT_RULE).optional(),
  timeouts: z
    .strictObject(
      { requestSeconds: seconds(0.1), createSeconds: seconds(1), readySeconds: seconds(1), deleteSeconds: seconds(1) },
      "be an object",
    )
    .optional(),
  pollSeconds: seconds(0.1),
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

/** Every broken rule of a Platform's props. */
export function checkPlatformProps(props: PlatformProps): string[] {
  const tokens = Object.entries(props).filter(([, value]) => holdsToken(value));
  if (tokens.length > 0) {
    return tokens.map(([prop]) => `'${prop}' must be known at synth, because destroy hooks may not read tokens, got a token`);
  }
  const problems = findings(platformProps, props).map(({ message }) => message);
  if (props.movedFromNullResource && props.hookResource !== HookResource.TERRAFORM_DATA) {
    problems.push(
      "'movedFromNullResource' must be used together with hookResource: HookResource.TERRAFORM_DATA, to which it moves",
    );
  }
  return problems;
}

function isBaseUrl(value: string): boolean {
  try {
    const url = new URL(value);
    return /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  } catch {
    return false;
  }
}
