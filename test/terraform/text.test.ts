import { type TerraformStack, TerraformVariable } from "cdktf";
import { Capsmv2Provider, Engine, Platform, Secret } from "cdktf-cluster-platform";
import fc from "fast-check";
import type { JsonObject } from "../../src/model/provider-type";
import { type Simulator, startSimulator } from "../../src/simulator";
import { accessTo } from "../support/service";
import { isRest } from "./test-on-backends";
import { Workspace } from "./workspace";

/**
 * Sends text from the code through the JSON of the stack, Terraform and the hook's environment to the request. One apply sends
 * many strings in all places that allow text.
 */

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ deleteSeconds: 0, acceptUnknownFields: true });
});

afterEach(() => simulator.close());

/** Characters with a meaning to JSON, HCL, shells, Windows or people, mixed with text of any script. */
const fragment = fc.oneof(
  fc.constantFrom('"', "'", "`", "\\", "\n", "\r\n", "\r", "\t", "$", "${", "$${", "%", "%{", "%%{", "}", "~}", "#{", "$(", "!"),
  fc.constantFrom("${var.x}", "%{ if true }", "${jsonencode(1)}", "${self.triggers.name}", "{{", "<<EOT\n", "\u2028", "\ufeff"),
  fc.constantFrom("é", "e\u0301", "😀", "👩‍👩‍👧", "שלום", "\u0007", "\u007f", "<b>&amp;", "null", "\\u0041", "\\n"),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const text = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join(""));
/** Terraform's JSON parser misses a quote that joins the letter before it. The package protects only bodies from that. */
const joining =
  /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u{110bd}\u{110cd}\u{111c2}\u{111c3}\u{1193f}\u{11941}\u{11a3a}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}]/gu;
const line = text.map((value) => value.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "").replace(joining, "") || "x");

/** Text that Terraform has changed in the past, and text that looks like the workaround's encoding. */
const traps = ["e\u0301", "\ufeffx", "\ra$${b", "a\rb\n%%{c", "\u001fbase64:eA==", "\u001fbase64:", "x\u0d4e"];

const batch = fc.record({
  anywhere: fc.array(text, { minLength: 150, maxLength: 150 }),
  lines: fc.array(line, { minLength: 20, maxLength: 20 }),
  keys: fc
    .dictionary(
      fc.oneof(line, fc.constantFrom("//", "0", "constructor", "a.b", "\${x}")).filter((key) => key !== "__proto__"),
      line,
      { minKeys: 20, maxKeys: 30, noNullPrototype: true },
    )
    // To Terraform, keys that are the same in normal form C are one.
    .filter((keys) => new Set(Object.keys(keys).map((key) => key.normalize())).size === Object.keys(keys).length),
});

/** The form in which text arrives. Terraform normalizes text to Unicode form C, and only hooks avoid that. */
const engines = [
  { engine: Engine.TERRAFORM_DATA, numRuns: isRest ? 2 : 1, count: 10, arrives: <Value>(value: Value) => value },
  ...(isRest ? [{ engine: Engine.PROVIDER, numRuns: 1, count: 2000, arrives: normalized }] : []),
];

test.each(engines)(
  "strings arrive in every place, and $count hosts do, by $engine",
  async ({ engine, numRuns, count, arrives }) => {
    const others = Array.from({ length: count - 1 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    await fc.assert(
      fc.asyncProperty(batch, async ({ anywhere, lines, keys }) => {
        const labels = { ...keys, "cafe\u0301": "cafe\u0301" };
        const workspace = new Workspace(accessTo(simulator));
        try {
          workspace.synth((stack) => {
            new Platform(stack, "platform", { engine });
            // Synth makes the body of the first one. The second one has a token, so the hook makes its body.
            for (const [name, token] of [
              ["plain", undefined],
              ["with-token", variable(stack)],
            ] as const) {
              new Capsmv2Provider(stack, name, {
                name,
                sshUsername: token ?? "core",
                sshPrivateKey: Secret.unsafePlainText(`-${anywhere[0]}`),
                hosts: [{ address: "10.0.0.1", labels }, ...others.map((address) => ({ address, labels: { rack: "r1" } }))],
                ipAddressPoolName: lines[0],
                bodyOverrides: { anywhere, traps, keys, nested: { lines: [{ lines }] } },
              });
            }
          });
          expect(await workspace.apply()).toMatchObject({ status: 0 });

          const bodies = simulator.requests
            .filter(({ method }) => method === "POST")
            .slice(-2)
            .map(({ body }) => body as JsonObject);
          expect(bodies.map(({ name }) => name).sort()).toEqual(["plain", "with-token"]);
          for (const body of bodies) {
            expect(body).toMatchObject(
              arrives({ anywhere, traps, keys, nested: { lines: [{ lines }] }, IPAddressPoolName: lines[0] }),
            );
            const hosts = body.hosts as { address: string }[];
            expect(hosts).toHaveLength(count);
            const first = hosts.find(({ address }) => address === "10.0.0.1");
            expect(first).toEqual(arrives({ address: "10.0.0.1", labelsSelector: labels, credentials: null }));
            expect(body.credentials).toMatchObject({ SSH: { privateKey: arrives(`-${anywhere[0]}`) } });
          }

          expect(await workspace.plan()).toEqual([]);
          expect(await workspace.destroy()).toMatchObject({ status: 0 });
        } finally {
          workspace.remove();
        }
      }),
      { numRuns, endOnFailure: true },
    );
  },
);

/** Every string and key in normal form C. */
function normalized<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, item: unknown) => {
    if (typeof item === "string") return item.normalize("NFC");
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, one]) => [key.normalize("NFC"), one]));
  }) as Value;
}

function variable(stack: TerraformStack): string {
  return new TerraformVariable(stack, "user", { type: "string", default: "core" }).stringValue;
}
