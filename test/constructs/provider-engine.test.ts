import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Fn, TerraformOutput, TerraformStack, TerraformVariable } from "cdktf";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { Secret } from "../../src/constructs/secret";
import { cluster, provider, size } from "../support/capvs";
import { type Synthesized, synthError, synthesize } from "../support/synth";

const PROVIDER = { engine: Engine.PROVIDER };
const MIRROR = "terraform.d/plugins/cluster-platform.invalid/cdktf/clusterplatform";

/** The blocks of a type by id, without cdktf's additions. */
function blocks({ resource }: Synthesized, type: string): Record<string, Record<string, unknown>> {
  const entries = Object.entries(resource[`clusterplatform_${type}`] ?? {}) as [string, Record<string, unknown>][];
  return Object.fromEntries(entries.map(([id, { "//": _, ...block }]) => [id, block]));
}

describe("blocks", () => {
  test("are the objects and one that waits for the clusters, and nothing else", () => {
    const synthesized = synthesize((stack) => {
      new Platform(stack, "platform", { ...PROVIDER, deletionProtection: ["prod"], allowDeletion: ["prod"] });
      const on = provider(stack, "vsphere", { username: "admin" });
      cluster(stack, "prod", on, { workers: [{ group: "g.1", count: 2, ...size }] });
      cluster(stack, "1.st_age", on, { waitForReady: false, adopt: true });
    });
    expect(Object.keys(synthesized.resource)).toEqual([
      "clusterplatform_capvs_cluster",
      "clusterplatform_capvs_provider",
      "clusterplatform_ready",
    ]);
    expect(blocks(synthesized, "capvs_provider")).toEqual({
      vsphere: {
        provider: "clusterplatform",
        name: "vsphere",
        server: "vcenter.example.com:443",
        username: { value: "admin" },
        password: { env: "VSPHERE_PASSWORD" },
        datacenter: "/eu",
        datastore: "ssd-01",
        folder: "/eu/vm/clusters",
        network: "/eu/network/clusters",
        resource_pool: "/eu/host/pool/Resources",
        templates: { "ubuntu-k8s-1.28.3": "v1.28.3" },
        template_network_interface: "ens192",
        declared_at: "stack/provider-vsphere",
      },
    });
    const { prod, ...others } = blocks(synthesized, "capvs_cluster");
    expect(prod).toEqual({
      provider: "clusterplatform",
      name: "prod",
      provider_name: "${clusterplatform_capvs_provider.vsphere.name}",
      api_endpoint: expect.any(String),
      pod_subnet: "10.244.0.0/16",
      service_subnet: "10.96.0.0/12",
      product_version: "2.5.0",
      control_plane: { count: 3, cpus: 4, memory_mib: 8192, disk_gib: 60 },
      workers: { "g.1": { count: 2, cpus: 4, memory_mib: 8192, disk_gib: 60 } },
      deletion_protection: true,
      declared_at: "stack/cluster-prod",
    });
    // Terraform's ids must not begin with a digit or contain dots.
    expect(others).toEqual({ _31__2e_st_5f_age: expect.objectContaining({ name: "1.st_age", adopt: true }) });
    expect(blocks(synthesized, "ready")).toEqual({
      ready: {
        provider: "clusterplatform",
        objects: {
          "capvs/providers/vsphere": "${clusterplatform_capvs_provider.vsphere.uid}",
          "capvs/clusters/prod": "${clusterplatform_capvs_cluster.prod.uid}",
          "capvs/clusters/1.st_age": "${clusterplatform_capvs_cluster._31__2e_st_5f_age.uid}",
        },
        wait_for: ["capvs/clusters/prod"],
      },
    });
  });

  test("keep their ids for any ids of constructs", () => {
    const ids = (platformId: string, id: string) => {
      const { resource } = synthesize((stack) => {
        new Platform(stack, platformId, PROVIDER);
        cluster(stack, "prod", provider(stack, "vsphere", { id }), { id: `${id}-cluster` });
      });
      return Object.entries(resource).flatMap(([type, group]) => Object.keys(group).map((key) => `${type}.${key}`));
    };
    expect(ids("one", "a")).toEqual(ids("two", "b"));
  });

  test("of a Platform with a name have its prefix and its provider", () => {
    const synthesized = synthesize((stack) => {
      new Platform(stack, "platform", PROVIDER);
      const eu = new Platform(stack, "eu", {
        ...PROVIDER,
        name: "eu",
        url: "https://eu.example.com",
        deletionProtection: true,
        tls: { caFile: "/etc/ssl/ca.pem" },
        timeouts: { requestSeconds: 7 },
      });
      provider(stack, "vsphere", { platform: eu });
    });
    expect(synthesized.terraform.required_providers).toEqual({
      clusterplatform: {
        source: "cluster-platform.invalid/cdktf/clusterplatform",
        version: (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version,
      },
    });
    const common = { workspace: "${terraform.workspace}", poll_seconds: 5, allow_deletion: [], retain: [] };
    const timeouts = { create_seconds: 600, ready_seconds: 3600, delete_seconds: 1800 };
    expect(synthesized.provider).toEqual({
      clusterplatform: [
        {
          ...common,
          timeouts,
          declared: [],
          other_urls: ["https://eu.example.com"],
          deletion_protection: ["*/clusters/*"],
        },
        {
          ...common,
          alias: "eu",
          platform: "eu",
          declared: ["capvs/providers/vsphere"],
          url: "https://eu.example.com",
          ca_file: "/etc/ssl/ca.pem",
          timeouts: { ...timeouts, request_seconds: 7 },
          deletion_protection: ["*"],
        },
      ],
    });
    expect(blocks(synthesized, "capvs_provider")).toMatchObject({
      eu_vsphere: { provider: "clusterplatform.eu", deletion_protection: true },
    });
    expect(Object.keys(blocks(synthesized, "ready"))).toEqual(["eu_ready"]);
  });
});

test("tokens of every kind stay tokens, and text that looks like a token stays text", () => {
  const synthesized = synthesize((stack) => {
    new Platform(stack, "platform", PROVIDER);
    const number = new TerraformVariable(stack, "number", { type: "number" });
    const list = new TerraformVariable(stack, "list", { type: "list(string)" });
    const text = new TerraformVariable(stack, "text", { type: "string" });
    const secret = { p: Secret.fromToken(text.stringValue), q: Secret.fromEnv("Q") };
    const on = provider(stack, "vsphere", {
      username: Secret.fromFile("/run/user"),
      password: Secret.fromToken(text.stringValue),
      credentialsVersion: number.numberValue,
      folder: 'a "${b}" %{c}',
      templates: [{ template: `t-${text.stringValue}`, kubernetesVersion: text.stringValue }],
      bodyOverrides: { "${k}": null, n: number.numberValue, l: list.listValue, ...secret },
    });
    cluster(stack, "prod", on, {
      controlPlane: { count: number.numberValue, roles: list.listValue, ...size },
      secure: Fn.tobool(text.stringValue) as never,
    });
  });
  expect(blocks(synthesized, "capvs_provider").vsphere).toMatchObject({
    username: { file: "/run/user" },
    password: { value_wo: "${var.text}" },
    credentials_version: "${var.number}",
    folder: 'a "$${b}" %%{c}',
    templates: { "t-${var.text}": "${var.text}" },
    body_overrides: { "$${k}": null, n: "${var.number}", l: "${var.list}", q: { $secret: { env: "Q" } } },
    body_overrides_wo: { p: { $secret: { value: "${var.text}" } } },
  });
  expect(blocks(synthesized, "capvs_cluster").prod).toMatchObject({
    control_plane: { count: "${var.number}", roles: "${var.list}" },
    secure: "${tobool(var.text)}",
  });
});

test.each([
  ["templates", { templates: [{ template: "__proto__", kubernetesVersion: "v1.28.3" }] }],
  ["body_overrides.a", { bodyOverrides: { a: JSON.parse('{ "__proto__": 1 }') as object } }],
])("a key __proto__ in %s is refused, which the plugin could not decode", (place, props) => {
  const declare = (engine: Engine) => (stack: TerraformStack) => {
    new Platform(stack, "platform", { engine });
    provider(stack, "vsphere", props);
  };
  expect(synthError(declare(Engine.PROVIDER)).message).toContain(
    `[stack/provider-vsphere] '${place}' must not have the key __proto__, which the library of the provider's protocol refuses; ` +
      "use another name, or an engine of hooks (",
  );
  expect(() => synthesize(declare(Engine.TERRAFORM_DATA))).not.toThrow();
});

test("text that Terraform misreads is decoded by an expression, in the path of a construct as well", () => {
  const synthesized = synthesize((stack) => {
    new Platform(stack, "platform", PROVIDER);
    provider(stack, "vsphere", { id: "${x} é", folder: "\ufeffx" });
  });
  const decoding = (text: string) => `\${base64decode("${Buffer.from(text).toString("base64")}")}`;
  expect(blocks(synthesized, "capvs_provider").vsphere).toMatchObject({
    folder: decoding("\ufeffx"),
    declared_at: decoding("stack/${x} é"),
  });
});

describe("a cluster's provider", () => {
  const nameOf = (declare: (stack: TerraformStack) => void) => {
    const { prod } = blocks(synthesize(declare), "capvs_cluster");
    return [prod!.provider_name, prod!.depends_on];
  };
  const reference = "${clusterplatform_capvs_provider.vsphere.name}";

  test("is a reference even if it is given by name and declared later", () => {
    const declare = (stack: TerraformStack) => {
      new Platform(stack, "platform", PROVIDER);
      cluster(stack, "prod", CapvsProvider.fromName("vsphere"));
      provider(stack);
    };
    expect(nameOf(declare)).toEqual([reference, undefined]);
  });

  test("is a name if the Platform does not declare it", () => {
    const elsewhere = (stack: TerraformStack) => {
      new Platform(stack, "platform", PROVIDER);
      cluster(stack, "prod", CapvsProvider.fromName("vsphere"));
    };
    expect(nameOf(elsewhere)).toEqual(["vsphere", undefined]);
  });
});

describe("attributes", () => {
  test("of a cluster come from a resource that waits for this cluster alone", () => {
    const synthesized = synthesize((stack) => {
      new Platform(stack, "platform", PROVIDER);
      const on = provider(stack);
      const prod = cluster(stack, "prod", on, { waitForReady: false });
      cluster(stack, "stage", on);
      for (const key of ["id", "uid", "endpoint", "phase", "fqn"] as const) new TerraformOutput(stack, key, { value: prod[key] });
      new TerraformOutput(stack, "provider", { value: on.uid });
      new TerraformOutput(stack, "versions", { value: on.kubernetesVersions });
    });
    const ready = "clusterplatform_ready.capvs_cluster_ready_prod";
    expect(Object.fromEntries(Object.entries(synthesized.output!).map(([key, { value }]) => [key, value]))).toEqual({
      id: "capvs/clusters/prod",
      uid: `\${${ready}.objects["capvs/clusters/prod"]}`,
      endpoint: `\${${ready}.endpoints["capvs/clusters/prod"]}`,
      phase: `\${${ready}.phases["capvs/clusters/prod"]}`,
      fqn: `\${${ready}}`,
      provider: "${clusterplatform_capvs_provider.vsphere.uid}",
      versions: "${clusterplatform_capvs_provider.vsphere.kubernetes_versions}",
    });
    expect(blocks(synthesized, "ready").capvs_cluster_ready_prod).toEqual({
      provider: "clusterplatform",
      objects: { "capvs/clusters/prod": "${clusterplatform_capvs_cluster.prod.uid}" },
      wait_for: ["capvs/clusters/prod"],
    });
  });
});

describe("the plugin in the stack's folder", () => {
  const outdir = mkdtempSync(join(tmpdir(), "plugin-mirror-"));
  const folder = join(outdir, "stacks/stack");
  afterAll(() => rmSync(outdir, { recursive: true }));
  const synth = (engine = Engine.PROVIDER) => {
    const app = new App({ outdir });
    new Platform(new TerraformStack(app, "stack"), "platform", { engine });
    app.synth();
  };
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const names = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"].map(
    (system) => `terraform-provider-clusterplatform_${version}_${system}.zip`,
  );

  test("is there once for all systems, and replaces everything else", () => {
    synth();
    expect(readdirSync(join(folder, MIRROR))).toEqual(names);
    expect(new Set(names.map((name) => statSync(join(folder, MIRROR, name)).ino)).size).toBe(1);

    // Terraform would find a folder, too.
    mkdirSync(join(folder, MIRROR, version, "linux_amd64"), { recursive: true });
    rmSync(join(folder, MIRROR, names[0]!));
    writeFileSync(join(folder, MIRROR, names[0]!), "");
    synth();
    expect(readdirSync(join(folder, MIRROR))).toEqual(names);
    expect(readFileSync(join(folder, MIRROR, names[0]!)).equals(readFileSync("dist/plugin.zip"))).toBe(true);
  });

  test("is packed to the same bytes by every build", () => {
    const options = { folder: "dist/plugin", zip: join(outdir, "again.zip"), version };
    const script = `import("./scripts/bundle-plugin.mjs").then((scripts) => scripts.packPlugin({ ...${JSON.stringify(options)}, hashOf: () => "" }))`;
    execFileSync(process.execPath, ["-e", script], { env: { ...process.env, TZ: "Asia/Tokyo" } });
    expect(readFileSync(options.zip).equals(readFileSync("dist/plugin.zip"))).toBe(true);
  });

  test("is removed with the engines of hooks, so that nothing deletes the objects in the state", () => {
    synth();
    synth(Engine.TERRAFORM_DATA);
    expect(existsSync(join(folder, MIRROR))).toBe(false);
  });

  test("is in the lock file, beside the entries of other providers", () => {
    const file = join(folder, ".terraform.lock.hcl");
    rmSync(file, { force: true });
    synth();
    const alone = readFileSync(file, "utf8");
    const entry = (version: string, hash: string) =>
      `\nprovider "cluster-platform.invalid/cdktf/clusterplatform" {\n  version     = "${version}"\n  constraints = "${version}"\n  hashes = [\n    "${hash}",\n  ]\n}\n`;
    const [, hash] = /"(h1:[\w+/]{43}=)"/.exec(alone)!;
    expect(alone.endsWith(entry(version, hash!))).toBe(true);

    const other =
      '\nprovider "registry.terraform.io/hashicorp/null" {\n  version = "3.2.4"\n  hashes = [\n    "h1:x=",\n  ]\n}\n';
    writeFileSync(file, `# header\n${entry("0.0.1", "h1:old=")}${other}`);
    synth();
    expect(readFileSync(file, "utf8")).toBe(`# header\n${entry(version, hash!)}${other}`);
    synth();
    expect(readFileSync(file, "utf8")).toBe(`# header\n${entry(version, hash!)}${other}`);
  });
});
