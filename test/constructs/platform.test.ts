import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { App, TerraformLocal, TerraformResource, TerraformStack, TerraformVariable } from "cdktf";
import { Construct } from "constructs";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { SUPPORT_RESOURCES } from "../../src/contract/addresses";
import { idOf } from "../../src/model/object-ref";
import { TYPE_CODES } from "../../src/model/provider-type";
import { synthesizedObjects } from "../../src/synthesized/objects";
import { cluster, provider } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const TERRAFORM_DATA = { engine: Engine.TERRAFORM_DATA };

describe("Platform.of", () => {
  test("finds the Platform of the stack from anywhere below", () => {
    synthesize((stack) => {
      const platform = new Platform(stack, "platform");
      const deep = new Construct(new Construct(stack, "region"), "zone");
      expect(Platform.of(deep)).toBe(platform);
    });
  });

  test("prefers the nearest", () => {
    synthesize((stack) => {
      new Platform(stack, "platform");
      const region = new Construct(stack, "region");
      const nearer = new Platform(region, "platform", { name: "region", url: "https://region.example.com" });
      expect(Platform.of(region)).toBe(nearer);
    });
  });

  test("is the one that contains the scope, among several", () => {
    synthesize((stack) => {
      new Platform(stack, "one");
      const two = new Platform(stack, "two", { name: "two", url: "https://two.example.com" });
      expect(Platform.of(new Construct(two, "inside"))).toBe(two);
    });
  });

  test("names the Platforms inside other constructs, which are in no scope of the construct", () => {
    const error = synthError((stack) => {
      new Platform(new Construct(stack, "base"), "platform");
      provider(stack);
    });
    expect(error.message).toContain(
      "[stack/provider-vsphere] no Platform in the scopes of this construct; the stack has stack/base/platform: " +
        "choose one with the prop 'platform', or make this construct beside it",
    );
  });

  test("refuses one of another copy of this package, and names both copies", () => {
    jest.isolateModules(() => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const other = require("../../src/constructs/platform") as typeof import("../../src/constructs/platform");
      const error = synthError((stack) => {
        new other.Platform(stack, "platform", { engine: Engine.PROVIDER });
        provider(stack);
      });
      const copy = resolve(__dirname, "../..");
      expect(error.message).toContain(
        "[stack/provider-vsphere] the Platform stack/platform comes from another copy of cdktf-cluster-platform " +
          `(${copy}) than this construct (${copy}). Keep one: \`npm ls cdktf-cluster-platform\` shows`,
      );
    });
  });

  test("throws for a scope that is no construct of this package", () => {
    const error = synthError((stack) => {
      new Platform(stack, "one");
      new Platform(stack, "two", { name: "two", url: "https://two.example.com" });
      Platform.of(stack);
    });
    expect(error).toMatchObject({
      code: "AMBIGUOUS_PLATFORM",
      message: "stack: there are 2 Platforms in 'stack' (one, two); choose one with the prop 'platform'",
    });
  });
});

describe("blocks", () => {
  test("all exist before anything is declared, so that none ever leaves the configuration", () => {
    const { resource } = synthesize((stack) => void new Platform(stack, "platform"));
    const expected = TYPE_CODES.flatMap((type) => [`${type}_clusters`, `${type}_providers`]).sort();
    expect(Object.keys(resource.null_resource!).sort()).toEqual(expected);
    expect(Object.keys(resource.terraform_data!).sort()).toEqual(
      SUPPORT_RESOURCES.map((each) => `cluster_platform_${each}`).sort(),
    );
  });

  test("are only terraform_data on request", () => {
    const { resource, provider: providers } = synthesize((stack) => void new Platform(stack, "platform", TERRAFORM_DATA));
    expect(Object.keys(resource)).toEqual(["terraform_data"]);
    expect(providers).toBeUndefined();
  });

  test("have the name of the Platform as a prefix", () => {
    const { resource, locals } = synthesize((stack) => void new Platform(stack, "platform", { name: "eu", ...TERRAFORM_DATA }));
    const ids = [...Object.keys(resource.terraform_data!), ...Object.keys(locals)];
    expect(ids.filter((id) => !/^(cluster_platform_)?eu_/.test(id))).toEqual([]);
  });

  test("have ids, keys and triggers that do not depend on construct ids and the order of declaration", () => {
    const declare = (ids: [string, string], names: string[]) =>
      synthesize((stack) => {
        new Platform(stack, ids[0], TERRAFORM_DATA);
        const on = provider(stack, "vsphere", { id: ids[1] });
        names.forEach((name) => cluster(stack, name, on));
      });
    const [one, other] = [declare(["platform", "provider"], ["a", "b"]), declare(["p", "q"], ["b", "a"])];
    expect(Object.keys(one.resource.terraform_data!)).toEqual(Object.keys(other.resource.terraform_data!));
    expect(one.entries.capvs_clusters!.a!.triggers).toEqual(other.entries.capvs_clusters!.a!.triggers);
    expect(one.resource.terraform_data!.cluster_platform_orphan_check!["triggers_replace"]).toEqual(
      other.resource.terraform_data!.cluster_platform_orphan_check!["triggers_replace"],
    );
  });

  const nullProvider = (alias?: string) => (stack: TerraformStack) => void new NullProvider(stack, "null", { alias });
  const platform = (stack: TerraformStack) => void new Platform(stack, "platform");
  const another = (stack: TerraformStack) =>
    void new Platform(stack, "another", { name: "another", url: "https://another.example.com" });

  test.each([
    ["its own", [platform, another], [{}]],
    ["the one that was made before", [nullProvider(), platform, another], [{}]],
    ["the one that is made later", [platform, another, nullProvider()], [{}]],
    ["its own beside one with an alias", [nullProvider("old"), platform], [{ alias: "old" }, {}]],
  ])("configure the null provider once: %s", (_, makers, expected) => {
    const { provider: providers } = synthesize((stack) => makers.forEach((make) => make(stack)));
    expect(providers!.null).toEqual(expected);
  });

  test("require the version of the null provider that its bindings require", () => {
    const required = [platform, nullProvider()].map((make) => synthesize(make).terraform.required_providers);
    expect(required[0]).toEqual({ null: { source: "null", version: expect.stringMatching(/^3\./) } });
    expect(required[0]).toEqual(required[1]);
  });
});

describe("what is protected", () => {
  test.each([
    ["clusters by default", undefined, ["*/clusters/*"], ["*/clusters/*"]],
    ["everything by true", true, ["*"], true],
    ["nothing by false", false, [], []],
    ["what a list names, instead of the default", ["prod"], ["prod"], ["prod"]],
  ])("is %s", (_, deletionProtection, shown, told) => {
    const { resource } = synthesize((stack) => void new Platform(stack, "platform", { ...TERRAFORM_DATA, deletionProtection }));
    const { cluster_platform_protection: protection, capvs_clusters: clusters } = resource.terraform_data!;
    expect(protection!.input).toMatchObject({ deletionProtection: shown });
    const settings = /CLUSTER_PLATFORM_HOOK_SETTINGS":(".*?[^\\]")/.exec(JSON.stringify(clusters))![1]!;
    expect(JSON.parse(JSON.parse(settings) as string)).toMatchObject({ deletionProtection: told });
  });
});

describe("props", () => {
  const cases: [string, unknown, string][] = [
    [
      "name",
      "EU",
      "'name' must be lower-case letters, digits and '_', beginning with a letter, at most 40 characters, got \"EU\"",
    ],
    ["url", "https://user:secret@platform.example.com", "'url' must not hold a user name or password: the service takes a token"],
    [
      "url",
      "http://platform.example.com:8080/base",
      "'url' must be an https URL, because http://platform.example.com:8080 would receive the token unencrypted; " +
        "if the network is protected in another way, add tls: { allowPlainHttp: true }",
    ],
    ["timeouts", { readySeconds: "1h" }, "'timeouts.readySeconds' must be a number of seconds from 1 to 604800, got \"1h\""],
    ["deletionProtection", "prod", "'deletionProtection' must be true, false or a list of names and patterns"],
    ["engine", "aws_instance", "'engine' must be Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA or Engine.PROVIDER"],
    ["deletionprotection", true, "'deletionprotection' is not a prop here"],
  ];
  test.each(cases)("refuse %s: %j", (prop, value, message) => {
    const error = synthError((stack) => void new Platform(stack, "platform", { [prop]: value } as PlatformProps));
    expect(error.message).toContain(`[stack/platform] `);
    expect(error.message).toContain(message);
  });

  test.each<PlatformProps>([
    { url: "http://localhost:8080" },
    { url: "http://127.1.2.3" },
    { url: "http://[::1]:8080" },
    { url: "http://platform.example.com", tls: { allowPlainHttp: true } },
  ])("accept plain HTTP with %j", (props) => {
    expect(() => synthesize((stack) => void new Platform(stack, "platform", props))).not.toThrow();
  });

  const HOOKS = "because destroy hooks may not read tokens";
  const WITHOUT_TERRAFORM = "because review and doctor read the settings without Terraform";
  test.each<[string, Engine, (token: string) => object, string, string]>([
    ["url", Engine.NULL_RESOURCE, (url) => ({ url }), HOOKS, "leave it out and set CLUSTER_PLATFORM_URL where Terraform runs"],
    ["url", Engine.PROVIDER, (url) => ({ url }), WITHOUT_TERRAFORM, "leave it out and set CLUSTER_PLATFORM_URL where"],
    ["tls.caFile", Engine.PROVIDER, (caFile) => ({ tls: { caFile } }), WITHOUT_TERRAFORM, "set CLUSTER_PLATFORM_CA_FILE where"],
    [
      "retain",
      Engine.TERRAFORM_DATA,
      (name) => ({ retain: [name] }),
      HOOKS,
      "write a literal, or a value that the program knows",
    ],
  ])("refuse a token as %s with %s, and say the way out", (prop, engine, props, reason, wayOut) => {
    const error = synthError((stack) => {
      const variable = new TerraformVariable(stack, "variable", { type: "string" });
      new Platform(stack, "platform", { engine, ...props(variable.stringValue) });
    });
    expect(error.message).toContain(`[stack/platform] '${prop}' must be known at synth, ${reason}, got a token; `);
    expect(error.message).toContain(wayOut);
  });
});

describe("errors that no single construct can find", () => {
  test("are reported all at once, with construct paths", () => {
    const error = synthError((stack) => {
      new Platform(stack, "platform");
      const on = provider(stack);
      provider(stack, "vsphere", { id: "again" });
      cluster(stack, "prod", on);
      cluster(stack, "Prod", on);
      cluster(stack, "stage", on, { apiEndpoint: "10.0.0.1", kubernetesVersion: "1.30.0" });
      cluster(stack, "test", on, { apiEndpoint: "10.0.0.1" });
      cluster(stack, "v6", on, { apiEndpoint: "fd00::1" });
      cluster(stack, "again-v6", on, { apiEndpoint: "FD00:0::1" });
      new TerraformLocal(stack, "capvs_clusters", {}).overrideLogicalId("capvs_clusters");
    });
    const expected = [
      "stack/again: 'name' must be unique, but stack/provider-vsphere declares the capvs provider vsphere already",
      "stack/cluster-Prod: 'name' must differ from other names in more than upper and lower case, " +
        "but stack/cluster-prod declares the cluster prod already",
      "stack/cluster-test: 'apiEndpoint' must be an address of its own, but 10.0.0.1 is also that of stack/cluster-stage, on the same provider; " +
        "if they are in separate networks, declare one of the clusters in another stack",
      "stack/cluster-again-v6: 'apiEndpoint' must be an address of its own, but FD00:0::1 is also that of stack/cluster-v6, on the same provider",
      "stack/cluster-stage: 'kubernetesVersion' must be one that a template of the provider vsphere offers (v1.28.3), got 1.30.0",
      "stack/capvs_clusters: 'local.capvs_clusters' is an id of the Platform stack/platform",
    ];
    for (const message of expected) expect(error.message).toContain(message);
  });

  test("include more objects than the deletion guard can read", () => {
    const stack = new TerraformStack(new App(), "stack");
    const platform = new Platform(stack, "platform");
    const longName = (index: number) => createHash("sha256").update(`${index}`).digest("hex").slice(0, 60);
    for (let index = 0; index < 5_000; index++) provider(stack, longName(index));
    expect(platform.node.findAll().flatMap(({ node }) => node.validate())).toEqual([
      expect.stringContaining("stack/platform: the list of the Platform's objects must fit into its deletion guard"),
    ]);
  });

  test.each([
    [{}, `'name' must be given to the second Platform of a stack, as in name: "eu", because stack/one has none`],
    [{ name: "eu" }, `'name' must be unique in the stack, but stack/one has the name "eu" already`],
  ])("include a second Platform with the props %j", (props, message) => {
    const error = synthError((stack) => {
      new Platform(stack, "one", { ...props, url: "https://one.example.com" });
      new Platform(new Construct(stack, "region"), "two", props);
    });
    expect(error.message).toContain(`[stack/region/two] ${message} (`);
  });

  const ONE_PER_SERVICE = "a stack has one Platform per service";
  test.each([
    ["https://us.example.com", undefined, undefined],
    [undefined, "https://us.example.com", undefined],
    [
      "https://eu.example.com",
      "https://EU.example.com/",
      `'url' must be that of another service than stack/one has, because ${ONE_PER_SERVICE}, got https://EU.example.com/`,
    ],
    [
      undefined,
      undefined,
      `'url' must be given, because stack/one leaves it to CLUSTER_PLATFORM_URL already, and ${ONE_PER_SERVICE}`,
    ],
  ])("include two Platforms of one service, and names may be equal on two services: %s and %s", (first, second, problem) => {
    const stack = new TerraformStack(new App(), "stack");
    const one = new Platform(stack, "one", { url: first });
    const two = new Platform(stack, "two", { name: "two", url: second });
    provider(stack, "vsphere", { platform: one });
    provider(stack, "vsphere", { platform: two, id: "vsphere-2" });
    const problems = [...stack.node.findAll()].flatMap(({ node }) => node.validate());
    expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
  });

  test.each([Engine.TERRAFORM_DATA, Engine.PROVIDER])("include a cluster whose provider is on another Platform: %s", (engine) => {
    const error = synthError((stack) => {
      const one = new Platform(stack, "one", { engine });
      const two = new Platform(stack, "two", { engine, name: "two", url: "https://two.example.com" });
      cluster(stack, "prod", provider(stack, "vsphere", { platform: one }), { platform: two });
    });
    expect(error.message).toContain(
      "[stack/cluster-prod] 'provider' must be on the Platform of the cluster, stack/two, got vsphere, which is on stack/one and so on another service",
    );
  });

  test("do not include a Platform whose URL comes from the run. It has the URLs of the others, also of later ones", () => {
    const { resource } = synthesize((stack) => {
      new Platform(stack, "one", TERRAFORM_DATA);
      new Platform(stack, "two", { ...TERRAFORM_DATA, name: "two", url: "https://two.example.com" });
    });
    const settingsOf = (block: string) => {
      const [{ "local-exec": exec }] = resource.terraform_data![block]!["provisioner"] as unknown as [
        { "local-exec": { environment: Record<string, string> } },
      ];
      return (JSON.parse(exec.environment.CLUSTER_PLATFORM_HOOK_SETTINGS!) as { connection: object }).connection;
    };
    expect(settingsOf("capvs_clusters")).toEqual({ otherUrls: ["https://two.example.com"] });
    expect(settingsOf("two_capvs_clusters")).toEqual({ url: "https://two.example.com" });
  });

  test("include a resource with an id of a block", () => {
    const error = synthError((stack) => {
      new Platform(stack, "platform", TERRAFORM_DATA);
      new TerraformResource(stack, "mine", { terraformResourceType: "terraform_data" }).overrideLogicalId(
        "cluster_platform_orphan_check",
      );
    });
    expect(error.message).toContain(
      "stack/mine: 'terraform_data.cluster_platform_orphan_check' is an id of the Platform stack/platform",
    );
  });

  test("include HCL output, which would change text", () => {
    const app = new App({ outdir: "/nonexistent", hclOutput: true });
    new Platform(new TerraformStack(app, "stack"), "platform");
    expect(() => app.synth()).toThrow("cdktf must synthesize JSON, not HCL");
  });

  test("do not include a version with or without a leading v", () => {
    synthesize((stack) => {
      new Platform(stack, "platform");
      cluster(stack, "prod", provider(stack), { kubernetesVersion: "1.28.3" });
    });
  });
});

test.each(["itself", "the construct around it"])("a Platform that leaves the tree with %s does not count any more", (what) => {
  const { resource } = synthesize((stack) => {
    const removed = what === "itself" ? stack : new Construct(stack, "around");
    new Platform(removed, "platform");
    stack.node.tryRemoveChild(what === "itself" ? "platform" : "around");
    const again = what === "itself" ? stack : new Construct(stack, "around");
    const platform = new Platform(again, "platform", TERRAFORM_DATA);
    expect(Platform.of(again)).toBe(platform);
  });
  expect(Object.keys(resource)).toEqual(["terraform_data"]);
});

describe.each([Engine.NULL_RESOURCE, Engine.TERRAFORM_DATA, Engine.PROVIDER])("on %s, what leaves the tree", (engine) => {
  const declared = (removed: string, repeated?: true) =>
    synthesizedObjects(
      synthesize((stack) => {
        new Platform(stack, "platform", { engine });
        const on = provider(stack);
        cluster(stack, "prod", on);
        cluster(stack, "stage", on);
        stack.node.tryRemoveChild(removed);
        if (repeated) cluster(new Construct(stack, "again"), "stage", on);
      }),
    )
      .map(idOf)
      .sort();

  test("is not declared, and another construct may have its name", () => {
    const ids = ["capvs/clusters/prod", "capvs/providers/vsphere"];
    expect(declared("cluster-stage")).toEqual(ids);
    expect(declared("cluster-stage", true)).toEqual([...ids, "capvs/clusters/stage"].sort());
  });

  test("must not be the Platform of objects that stay", () => {
    expect(() => declared("platform")).toThrow(
      /prod: its Platform \S+\/platform has left the tree, so nothing would declare the object\. Keep the Platform/,
    );
  });
});
