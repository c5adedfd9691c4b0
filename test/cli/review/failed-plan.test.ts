import { failedPlanMarkdown, withoutSecrets } from "../../../src/cli/review/render/failed-plan";

const shown = (output: string, maxBytes = 60_000) => failedPlanMarkdown(withoutSecrets(output), { id: "default", maxBytes });

test("the output of a failed plan says what is missing, and is code that nothing in it ends", () => {
  const text = shown("Error: @team\n````\n# heading \u202e\n");
  expect(text).toContain("What depends on a refused object is missing here.");
  expect(text.split("\n\n").at(-1)).toBe("`````text\nError: @team\n````\n# heading \\u{202e}\n`````\n");
});

test("the output of a failed plan has no secrets", () => {
  const text = shown(`  + password = "hunter2"
      ~ "api_key": "one" -> "two"
  + ca = <<-EOT
    -----BEGIN RSA PRIVATE KEY-----
    MIIC
    -----END RSA PRIVATE KEY-----
  Error: https://user:sesame@example.com answers no
  Error: cluster prod is protected`);
  for (const secret of ["hunter2", "one", "two", "MIIC", "sesame"]) expect(text).not.toContain(secret);
  expect(text).toContain("+ password = [hidden]");
  expect(text).toContain("Error: cluster prod is protected");
});

test("the end of a long output is kept, because errors are last", () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `clusterplatform_capvs_cluster.é${index}: Refreshing state…`);
  const text = shown([...lines, "Error: the last line"].join("\n"), 4_000);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
  expect(Buffer.byteLength(text)).toBeGreaterThan(3_800);
  expect(text).toContain("\n```text\n…\nclusterplatform_capvs_cluster.é");
  expect(text.endsWith("\nError: the last line\n```\n")).toBe(true);
});
