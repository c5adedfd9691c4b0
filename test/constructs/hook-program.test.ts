import { isAbsolute } from "node:path";
import { Platform } from "../../src/constructs/platform";
import { cluster, provider } from "../support/capvs";
import { synthesize } from "../support/synth";
import { engines } from "../support/tools";

test.each(engines)("on %s nothing that is synthesized knows where this package or the project is", (engine) => {
  const { resource, locals } = synthesize((stack) => {
    const platform = new Platform(stack, "platform", { engine });
    cluster(platform, "prod", provider(platform));
  });
  // Of cdktf's own notes some have the stack of the call.
  const text = JSON.stringify({ resource, locals }, (key, value: unknown) => (key === "//" ? undefined : value));
  const programs = [...text.matchAll(/"interpreter":\["node","([^"]+)"\]/g)].map(([, program]) => program!);
  expect(programs.length).toBeGreaterThan(5);
  expect(programs.filter((program) => isAbsolute(program) || !/^assets\/.+\/main\.js$/.test(program))).toEqual([]);
  expect(text).not.toContain(process.cwd());
});
