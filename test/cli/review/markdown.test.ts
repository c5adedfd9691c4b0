import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LEAST_BYTES, reviewMarkdown } from "../../../src/cli/review/render/markdown";
import type { Review } from "../../../src/cli/review/judge/review";
import { gated, planDocument, reviewAlone, reviewDocument, reviewFixture } from "./plans";
import { Renderer, tablesAreEven } from "./renderer";

const OPTIONS = { id: "default", maxBytes: 60_000 };
const markdown = (review: Review, options: Partial<typeof OPTIONS> = {}, failOn: Parameters<typeof gated>[1] = "critical") =>
  reviewMarkdown(review, gated(review, failOn), { ...OPTIONS, ...options });

const renderer = new Renderer();
afterAll(() => renderer.stop());

/** A person reads the goldens, because a reviewer will. After a change, run with UPDATE_GOLDENS=1 and read the difference. */
test.each<[string, string[], ((name: string) => Review)?]>([
  ["not verified", ["remove"], (name) => reviewAlone(planDocument(name))],
  ["replaced, and a registration in between", ["register-and-replace"]],
  ["several stacks, secrets, other resources", ["secrets", "others"]],
  ["handed over", ["handover-from", "handover-to"]],
  ["platform removed", ["platform-removed"]],
  ["refused", ["protected-change", "provider-in-use"]],
  ["refused halfway, or at once", ["provider-in-use-and-replace", "protected-removal-and-replace", "retain-unknown"]],
  ["created", ["create"]],
  ["adopted and retained", ["retain-and-adopt", "retain"]],
  ["tainted", ["tainted", "tainted-removal"]],
  ["goes with a cluster", ["dependents"]],
  ["nothing", ["unchanged"]],
  ["by the provider", ["provider/everything", "provider/switched"]],
  ["refused by the provider", ["provider/refused"]],
])("Markdown is readable: %s", async (title, names, reviewed = () => reviewFixture(...names)) => {
  const text = markdown(reviewed(names[0]!));
  const golden = join(__dirname, "goldens", `${title.replace(/[^a-z]+/g, "-")}.md`);
  if (process.env.UPDATE_GOLDENS) writeFileSync(golden, text);
  expect(text).toBe(readFileSync(golden, "utf8"));

  const page = await renderer.render(text);
  expect(page.faults).toEqual([]);
  expect(tablesAreEven(page)).toBe(true);
  expect(page.comments).toEqual(["<!-- cluster-platform review v1 id=default -->"]);
  expect(page.headings).toEqual([2]);
});

/** Text that could end a cell, a code span or an element, mention or link somebody, or deceive the eye. */
const HOSTILE = [
  "a|b",
  "a\\|b",
  "a`b``c",
  "`",
  "\\",
  "<script>alert(1)</script>",
  "</details></summary>",
  "<!-- cluster-platform review v1 id=other -->",
  "@octocat",
  "user@example.com",
  "https://evil.example.com/x",
  "www.evil.example.com",
  "[text](https://evil.example.com)",
  "![image](https://evil.example.com)",
  "**bold** _it_ ~~del~~",
  "line\nbreak\r\n| x | y |",
  "\u202Eright to left",
  "zero\u200Bwidth",
  "\u001b[31mred",
  "&lt;&#64;octocat",
  "  spaces  ",
  "#1 GH-1",
  "```mermaid",
  '"] --> x["',
  "end",
  "emoji 🔴 и кириллица",
  "\ud800",
  "",
];

test("Markdown is well-formed for any names, fields and values", async () => {
  const document = planDocument("register-and-replace");
  const [cluster] = document.resource_changes.filter(({ index }) => index === "prod");
  for (const [index, hostile] of HOSTILE.entries()) {
    const name = `${index}${hostile}`;
    const copy = structuredClone(cluster!);
    copy.index = name;
    copy.address = `null_resource.capvs_clusters[${JSON.stringify(name)}]`;
    const on = index % 2 === 0 ? "vsphere" : "vsphere-2";
    copy.change.before!.triggers = { name, provider: on, [`labels.${hostile}`]: hostile, same: hostile };
    copy.change.after!.triggers = { name, provider: on, [`labels.${hostile}`]: `${hostile} and more` };
    document.resource_changes.push(copy);
  }
  const review = reviewDocument(document);
  const text = markdown(review);
  const page = await renderer.render(text);
  expect(page.faults).toEqual([]);
  expect(tablesAreEven(page)).toBe(true);
  expect(page.tables[0]).toHaveLength(1 + 2 + HOSTILE.length);
  expect(page.tables[1]).toHaveLength(1 + 1 + HOSTILE.length);
  expect(page.details).toBe(2);
  expect(page.comments).toHaveLength(1);
  expect(page.links).toEqual([]);
  expect(page.bareText).not.toMatch(/octocat|evil|script|bold|break/);
  expect(text).not.toMatch(/[\u202E\u200B\u001b\ud800]/);
  // The reader sees each name as it is. Only invisible characters are escaped.
  const escaped = {
    15: "line\\nbreak\\r\\n| x | y |",
    16: "\\u{202e}right to left",
    17: "zero\\u{200b}width",
    18: "\\u{1b}[31mred",
  };
  for (const [index, hostile] of HOSTILE.entries()) {
    const seen = `${index}${(escaped as Record<number, string>)[index] ?? hostile}`.replace("\ud800", "\ufffd");
    expect(page.code).toContain(seen);
  }
});

describe("under a budget", () => {
  /** A stack of many clusters with all verdicts that a plan can have. */
  const fleet = (critical: number, low: number, unchanged: number, alike = false): Review => {
    const document = planDocument("register-and-replace");
    const of = (index: string) => document.resource_changes.find((change) => change.index === index)!;
    const [changed, created, kept] = [of("prod"), of("vsphere-2"), of("stage")].map((change) => structuredClone(change));
    document.resource_changes = document.resource_changes.filter(({ index }) => index === undefined);
    const add = (change: typeof changed, name: string) => {
      const copy = structuredClone(change!);
      Object.assign(copy, { index: name, address: `null_resource.${copy.name}["${name}"]` });
      for (const values of [copy.change.before, copy.change.after]) if (values) values.triggers!.name = name;
      document.resource_changes.push(copy);
    };
    for (let index = 0; index < critical; index++) {
      const own = structuredClone(changed!);
      const cause = alike ? {} : { "controlPlane.count": `${index + 5}`, podSubnet: `10.0.${index}.0/24` };
      Object.assign(own.change.after!.triggers!, cause);
      const on = alike ? "vsphere" : `low-${index % 2}`;
      for (const values of [own.change.before, own.change.after]) values!.triggers!.provider = on;
      add(own, `critical-${index}`);
    }
    for (let index = 0; index < low; index++) add(created, `low-${index}`);
    for (let index = 0; index < unchanged; index++) add(kept, `unchanged-${index}`);
    return reviewDocument(document);
  };
  const bytes = (text: string) => Buffer.byteLength(text);

  test("Markdown leaves out unchanged objects first, then fields", async () => {
    const review = fleet(9, 3, 300);
    const whole = markdown(review, { maxBytes: 10_000_000 });
    const shed = [whole];
    for (let limit = bytes(whole) - 1; limit >= LEAST_BYTES; limit -= 250) {
      const text = markdown(review, { maxBytes: limit });
      expect(bytes(text)).toBeLessThanOrEqual(limit);
      shed.push(text);
    }
    const first = (pattern: RegExp) => shed.findIndex((text) => !pattern.test(text));
    const stages = [/unchanged-299/, /\.capvs_clusters\["critical/].map(first);
    expect(stages).toEqual([...stages].sort((one, other) => one - other));
    expect(stages[0]).toBe(1);
    expect(stages.at(-1)).toBeGreaterThan(0);
    expect(shed.at(-1)).toContain("`critical-2`");
    expect(shed.at(-1)).toContain("Left out to stay below");
  });

  test("Markdown has thirty rows, and never drops a critical one without a count", async () => {
    const text = markdown(fleet(1_000, 5, 5));
    expect(text.match(/^\| 🔴/gm)).toHaveLength(30);
    expect(text).toContain("🔴 **970 more** of critical risk, 🟢 **5 more** of low risk");
    expect(text).toContain("⛔ Denied: 1000 clusters will be lost\n");
    expect((await renderer.render(text)).faults).toEqual([]);
    expect(markdown(fleet(1_000, 5, 5), { maxBytes: LEAST_BYTES })).toMatch(/🔴 \*\*9[789]\d more\*\* of critical risk/);
  });

  test("Markdown has one row for many objects with the same cause", async () => {
    const text = markdown(fleet(5_000, 5, 0, true));
    expect(text).toContain(
      "| 🔴 ⛔ | 5,000 clusters: `critical-0`, `critical-1`, `critical-10` and 4997 more " +
        "| **REPLACE**: emptied, 25000 → 35000 nodes, `product 2.5.0`, on `vsphere` " +
        "| `controlPlane.count` `3` → `5` |",
    );
    expect(text.match(/^\| [🔴🟢]/gmu)).toHaveLength(2);
    expect(tablesAreEven(await renderer.render(text))).toBe(true);
    expect(markdown(fleet(3, 0, 0, true)).match(/^\| 🔴/gm)).toHaveLength(3);
  });

  test("every cluster that is lost is named, also those that share a row", () => {
    const names = Array.from({ length: 200 }, (_, index) => `critical-${index}`);
    const [, sentence] = /Everything on (.*) is gone after this apply/.exec(markdown(fleet(200, 0, 0, true)))!;
    expect(sentence!.split(", ").sort()).toEqual(names.map((name) => `\`${name}\``).sort());
  });

  describe("that is small", () => {
    const crowded = (critical: number, others: number) => {
      const whole = fleet(critical, 0, 0);
      const group = { create: 0, update: 0, read: 0, other: 0, unchanged: 0, stack: "stack" };
      return {
        ...whole,
        others: Array.from({ length: others }, (_, index) => {
          const deleted = Array.from({ length: 10 }, (__, each) => `module.${"long_".repeat(40)}.other_${index}.a[${each}]`);
          return { ...group, type: `other_${index}`, delete: 10, deleted, created: [], provisioned: [] };
        }),
      };
    };

    test("Markdown counts other resources in one line before it drops a critical row", async () => {
      const text = markdown(crowded(12, 40), { maxBytes: 10_000 });
      expect(bytes(text)).toBeLessThanOrEqual(10_000);
      expect(text.match(/^\| 🔴/gm)).toHaveLength(12);
      expect(text).toContain("\n**Other resources in the plan**: 400 deleted\n");
      expect(text).toContain("the list of other resources");
      expect((await renderer.render(text)).faults).toEqual([]);
    });

    test("Markdown also counts notes and stacks before it drops what will be lost", async () => {
      const whole = fleet(12, 0, 0);
      const notes = Array.from({ length: 10 }, (_, index) => ({
        code: "HINT" as const,
        because: "declared twice" as const,
        risk: "low" as const,
        object: `capvs/clusters/${"long-".repeat(100)}${index}`,
        stacks: ["one", "other"],
      }));
      const stacks = Array.from({ length: 30 }, (_, index) => ({ ...whole.stacks[0]!, name: `${"stack-".repeat(40)}${index}` }));
      const text = markdown({ ...whole, notes, stacks }, { maxBytes: LEAST_BYTES });
      expect(bytes(text)).toBeLessThanOrEqual(LEAST_BYTES);
      expect(text).toContain("Everything on `critical-0`");
      expect(text).toContain("30 stacks");
      expect(text).toContain("10 notes, the worst of low risk");
      expect((await renderer.render(text)).faults).toEqual([]);
    });

    test("Markdown keeps the block of losses if there is room for nothing else", () => {
      const whole = fleet(10, 0, 0);
      const findings = whole.findings.map((finding) => ({ ...finding, name: `${"long-".repeat(66)}${finding.name}` }));
      const text = markdown({ ...whole, findings }, { maxBytes: LEAST_BYTES });
      expect(bytes(text)).toBeLessThanOrEqual(LEAST_BYTES);
      expect(text).toContain("Everything on `long-");
      expect(text).toContain("10 of critical risk");
    });
  });

  test("Markdown respects the smallest budget even with very long names", async () => {
    const document = planDocument("change");
    const [change] = document.resource_changes;
    const name = "|".repeat(3_000);
    document.resource_changes = [{ ...change!, index: name }];
    for (const values of [change!.change.before, change!.change.after]) values!.triggers!.name = name;
    const text = markdown(reviewDocument(document), { maxBytes: LEAST_BYTES });
    expect(bytes(text)).toBeLessThanOrEqual(LEAST_BYTES);
    expect(text).toContain("Denied: 1 cluster replaced");
    expect(text).toContain("1 of critical risk");
  });
});

test("Markdown has no details for a single field, which the row shows", () => {
  expect(markdown(reviewFixture("change"))).not.toContain("<summary>Fields");
  expect(markdown(reviewFixture("secrets"))).toContain("<summary>Fields of 1 object</summary>");
});

test("Markdown ends with its plans, policy and commit", () => {
  const review = reviewFixture("change");
  const digested = { ...review, stacks: review.stacks.map((stack) => ({ ...stack, digest: "0123456789abcdef" })) };
  const gate = { ...gated(review), policies: ["fedcba9876543210"] };
  expect(reviewMarkdown(digested, gate, { ...OPTIONS, policyCommit: "abcdef0123456789" })).toContain(
    "SHA-256 of the plan: `change` `0123456789ab`. Policy: `fedcba987654` of commit `abcdef012345`.\n",
  );
});

test("a row has the version of before and after, and says if a side is not shown", () => {
  const document = planDocument("change");
  const prod = document.resource_changes.find(({ index }) => index === "prod")!;
  prod.change.before!.triggers!.kubernetesVersion = "v1.28.3";
  prod.change.after!.triggers!.kubernetesVersion = "v1.29.1";
  delete prod.change.after!.triggers!.provider;
  expect(markdown(reviewDocument(document))).toContain(
    "**REPLACE**: emptied, 5 → 7 nodes, `v1.28.3` → `v1.29.1`, on `vsphere` → not shown |",
  );
});

test("a refused replacement says what would be lost, and its remedy once", () => {
  const text = markdown(reviewFixture("protected-change"), {}, "critical");
  expect(text).toContain(
    "## ⛔ Denied: `prod` would be lost; this apply fails at `prod`\n\nNothing is deleted while `prod` is refused. Without that, everything on `prod` is gone.\n",
  );
  expect(text).toContain(
    "| 🟠 ⛔ | cluster `prod` | **REPLACE, refused**: fails if it still exists; " +
      "if allowed, emptied, 5 → 7 nodes, `product 2.5.0`, on `vsphere` |",
  );
  expect(text.match(/allowDeletion/g)).toHaveLength(1);
  expect(text).toContain('\n**If meant:** write `allowDeletion: ["prod"]` on the Platform. **If not:** undo the change.\n');
});

test("the remedy is in the row if no deletion guard says it", () => {
  const document = planDocument("protected-change");
  document.resource_changes = document.resource_changes.filter(({ name }) => name !== "cluster_platform_ready");
  expect(markdown(reviewDocument(document))).toContain(
    'deletionProtection covers it; `allowDeletion: ["capvs/clusters/prod"]` on the Platform would allow it |',
  );
});

test("Markdown marks a stack whose plan is incomplete", () => {
  expect(markdown(reviewFixture("targeted", "change"))).toMatch(/- `targeted`: [^\n]*, \*\*incomplete plan\*\*\n/);
  expect(markdown(reviewFixture("change"))).not.toContain("incomplete plan");
  expect(markdown(reviewFixture("errored", "change"))).toMatch(/- `errored`: [^\n]*, \*\*failed plan\*\*\n/);
});

test("Markdown has the stack of each unchanged object if there are several stacks", () => {
  const names = "cluster `prod`, cluster `stage`, provider `vsphere`";
  expect(markdown(reviewFixture("unchanged"))).toContain(names);
  const two = markdown(reviewFixture("unchanged", "remove"));
  expect(two).toContain("provider `vsphere` (`unchanged`)");
  expect(two).toContain("provider `vsphere` (`remove`)");
  expect(two).not.toContain(names);
});

test.each([
  ["a plan that is not complete", "targeted", "create", "🟠"],
  ["what is created", "create", "create", "🟢"],
  ["nothing", "unchanged", "unchanged", "⚪"],
])("the headline has the mark of the worst note or object: %s", (_, noted, name, mark) => {
  const review = reviewFixture(name);
  const { notes } = reviewFixture(noted);
  expect(markdown({ ...review, notes })).toContain(`\n## ${mark} `);
});

test("Markdown ends with its plans, and links only addresses of the web", async () => {
  const review = reviewFixture("change");
  const of = (origin: object) => reviewMarkdown(review, gated(review), { ...OPTIONS, origin });
  expect(of({ commit: "0123456789abcdef", url: "https://github.com/o/r/actions/runs/1" })).toMatch(
    /Reviewed `0123456789ab`\. \[Run\]\(https:\/\/github\.com\/o\/r\/actions\/runs\/1\)\n$/,
  );
  expect(of({ url: "javascript:alert(1)" })).not.toContain("alert");
});
