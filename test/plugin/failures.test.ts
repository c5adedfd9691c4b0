import { LifecycleError } from "../../src/lifecycle/lifecycle-error";
import { reportingFailures } from "../../src/plugin/resources/failures";
import type { Session } from "../../src/plugin/resources/session";

const protectedObject = (name: string) =>
  new LifecycleError({
    code: "PROTECTED",
    objects: [{ type: "capvs", kind: "clusters", name }],
    summary: "it is protected",
    remedies: [],
  });
const reported = (error: Error, name: string) =>
  reportingFailures({ name, declared_at: "stack/prod" }, { configured: {} as Session }, () => {
    throw error;
  });

test("a refusal names the construct of its own object, and not that of an object with another name", async () => {
  await expect(reported(protectedObject("prod"), "prod")).rejects.toMatchObject({
    diagnostics: [{ summary: expect.stringMatching(/^\[PROTECTED\] stack\/prod: /) }],
  });
  await expect(reported(protectedObject("prod"), "prod-2")).rejects.toMatchObject({
    diagnostics: [{ summary: expect.not.stringContaining("stack/prod") }],
  });
});
