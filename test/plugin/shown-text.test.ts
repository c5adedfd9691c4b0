import { provider } from "../../src/plugin/resources/provider";

test("what the provider prints shows control characters, and keeps its lines", () => {
  expect(provider({}).redact!("red \u001b[31m\ntwo\u0007")).toBe("red \\u{1b}[31m\ntwo\\u{7}");
});
