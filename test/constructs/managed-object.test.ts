import { App, Fn, TerraformCount, TerraformIterator, TerraformOutput, TerraformStack, TerraformVariable, Token } from "cdktf";
import { CapvsProvider } from "../../src/constructs/types/capvs";
import { CaposProvider } from "../../src/constructs/types/capos";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import { Secret } from "../../src/constructs/secret";
import { Services } from "../../src/constructs/services";
import { cluster, provider, size } from "../support/capvs";
import { synthError, synthesize } from "../support/synth";

const withPlatform = (declare: (stack: TerraformStack) => void) => (stack: TerraformStack) => {
  new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
  declare(stack);
};

const entry = (declare: (stack: TerraformStack) => void) => synthesize(withPlatform(declare)).entries.capvs_clusters!.prod!;

describe("triggers", () => {
  test("hold the declared values, flat and in this package's vocabulary, without defaults", () => {
    const { triggers } = entry((stack) => {
      cluster(stack, "prod", provider(stack), {
        apiEndpoint: "10.0.0.1",
        secure: true,
        ingress: "",
        services: Services.base(),
        enableCsi: false,
      });
    });
    expect(triggers).toEqual({
      name: "prod",
      provider: "vsphere",
      apiEndpoint: "10.0.0.1",
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      productVersion: "2.5.0",
      enableCsi: false,
      "controlPlane.count": 3,
      "controlPlane.cpus": 4,
      "controlPlane.memoryMib": 8192,
      "controlPlane.diskGib": 60,
      "workers.default.count": 2,
      "workers.default.cpus": 4,
      "workers.default.memoryMib": 8192,
      "workers.default.diskGib": 60,
    });
  });

  test.each([
    ["a preset by name", Services.all(), "all"],
    ["a list as a set", Services.only("product-vip", "product-backup"), "only product-backup, product-vip"],
    ["what is left out", Services.allBut("product-vip"), "all but product-vip"],
    ["the critical ones", Services.criticalOnly(), "criticalOnly"],
  ])("hold services: %s", (_, services, expected) => {
    expect(entry((stack) => void cluster(stack, "prod", provider(stack), { services })).triggers.services).toBe(expected);
  });

  test("hold no references of secrets, and nothing of URL, adoption and readiness", () => {
    const { entries } = synthesize((stack) => {
      new Platform(stack, "platform", { url: "https://platform.example.com", engine: Engine.TERRAFORM_DATA });
      cluster(
        stack,
        "prod",
        provider(stack, "vsphere", { adopt: true, bodyOverrides: { auth: { token: Secret.fromEnv("EXTRA") } } }),
        {
          adopt: true,
          waitForReady: false,
        },
      );
    });
    const text = JSON.stringify([entries.capvs_providers!.vsphere!.triggers, entries.capvs_clusters!.prod!.triggers]);
    for (const absent of ["VSPHERE_", "EXTRA", "platform.example.com", "adopt", "waitForReady"])
      expect(text).not.toContain(absent);
  });
});

describe("literal text", () => {
  const declare = (stack: TerraformStack, username?: string) =>
    provider(stack, "vsphere", {
      folder: "/${var.x}/%{if}",
      bodyOverrides: { "a${b}": '"\\🚀#{x}', ...(username && { username }) },
    });

  test("reaches Terraform and cdktf unchanged, whatever it looks like", () => {
    const { locals, entries } = synthesize(withPlatform((stack) => void declare(stack)));
    expect(locals.capvs_providers!.vsphere).toMatch(/^[\x20-\x7e]*$/);
    expect(locals.capvs_providers!.vsphere).not.toMatch(/[$%#]\{/);
    const { triggers, spec } = entries.capvs_providers!.vsphere!;
    expect(triggers.folder).toBe("/${var.x}/%{if}");
    expect(spec.bodyOverrides).toHaveProperty(["a${b}"], '"\\🚀#{x}');
  });

  test("has its `${` and `%{` escaped in values and keys if it stands beside a token", () => {
    const { entries } = synthesize(
      withPlatform((stack) => {
        declare(stack, new TerraformVariable(stack, "user", { type: "string" }).stringValue);
      }),
    );
    const { triggers, spec } = entries.capvs_providers!.vsphere!;
    expect(triggers.folder).toBe("/$${var.x}/%%{if}");
    expect(spec.bodyOverrides).toHaveProperty(["a$${b}"]);
  });

  test("may have what looks like a large number, as base64 can", () => {
    const { entries } = synthesize(withPlatform((stack) => provider(stack, "vsphere", { folder: "/A3e+299B" })));
    expect(entries.capvs_providers!.vsphere!.triggers.folder).toBe("/A3e+299B");
  });

  test("refuses a number token inside of it", () => {
    const error = synthError(
      withPlatform((stack) => {
        const count = new TerraformVariable(stack, "count", { type: "number" }).numberValue;
        provider(stack, "vsphere", { folder: `/folder-${count}` });
      }),
    );
    expect(error.message).toContain(
      "[stack/provider-vsphere] 'folder' must hold tokens as they are, not a part of one, a changed one or a number in text",
    );
  });
});

describe("tokens", () => {
  test("pass synth, and the hook checks them with the declaration", () => {
    const { entries } = synthesize(
      withPlatform((stack) => {
        const text = new TerraformVariable(stack, "text", { type: "string" });
        const number = new TerraformVariable(stack, "number", { type: "number" });
        const flag = new TerraformVariable(stack, "flag", { type: "bool" });
        const on = provider(stack, "vsphere", { folder: text.stringValue, allowEditCsi: flag.booleanValue });
        cluster(stack, "prod", on, {
          apiEndpoint: text.stringValue,
          podSubnet: text.stringValue,
          controlPlane: { count: number.numberValue, ...size, roles: Token.asList(Fn.split(",", text.stringValue)) },
        });
      }),
    );
    const { triggers, body, spec } = entries.capvs_clusters!.prod! as unknown as {
      triggers: Record<string, string>;
      body: unknown;
      spec: Record<string, never>;
    };
    expect(body).toBeUndefined();
    expect(spec.controlPlane).toMatchObject({ count: "${var.number}" });
    expect(triggers).toMatchObject({ apiEndpoint: "${var.text}", "controlPlane.count": "${var.number}" });
    expect(triggers["controlPlane.roles"]).toBe('${join(", ", sort(split(",", var.text)))}');
    expect(entries.capvs_providers!.vsphere!.triggers).toMatchObject({ folder: "${var.text}", allowEditCsi: "${var.flag}" });
  });

  test("do not hide a wrong literal beside them", () => {
    const error = synthError(
      withPlatform((stack) => {
        const text = new TerraformVariable(stack, "text", { type: "string" });
        cluster(stack, "prod", provider(stack), { podSubnet: text.stringValue, serviceSubnet: "10.96.0.0" });
      }),
    );
    expect(error.message).toContain(
      "[stack/cluster-prod] 'serviceSubnet' must be a network in CIDR notation, as in 10.96.0.0/12, got \"10.96.0.0\"",
    );
  });

  test("are refused as a name", () => {
    const error = synthError(
      withPlatform((stack) => {
        provider(stack, new TerraformVariable(stack, "text", { type: "string" }).stringValue, { id: "vsphere" });
      }),
    );
    expect(error.message).toContain("[stack/vsphere] 'name' must be known at synth");
  });
});

describe("props", () => {
  test("report all errors at once", () => {
    const error = synthError(
      withPlatform((stack) => {
        const workers = [{ group: "a", count: -1, ...size }, { group: "a", count: 1, ...size, gpus: 1 } as never];
        cluster(stack, "prod", provider(stack), { workers, productVersion: "two" });
      }),
    );
    for (const part of [
      "'workers[0].count' must be",
      "'workers[1].gpus' is not a prop here: did you mean cpus?",
      "'workers[1].group' must be unique, but 'workers[0]' has it too",
      "'productVersion' must be a version",
    ]) {
      expect(error.message).toContain(part);
    }
  });

  test.each(Object.values(Engine))("refuse a repeated name in a list of named elements, also a token (%s)", (engine) => {
    const error = synthError((stack) => {
      new Platform(stack, "platform", { engine });
      const image = new TerraformVariable(stack, "image", { type: "string" }).stringValue;
      const names = ["a", image, "b", "a", image];
      provider(stack, "vsphere", { templates: names.map((template) => ({ template, kubernetesVersion: "1.28" })) });
    });
    expect(error.message).toContain("'templates[3].template' must be unique, but 'templates[0]' has it too, got \"a\"");
    expect(error.message).toContain("'templates[4].template' must be unique, but 'templates[1]' has it too");
    expect(error.message).toContain("'templates[4].kubernetesVersion' must be");
  });

  test("refuse a bare string as a secret, without printing it", () => {
    const error = synthError(withPlatform((stack) => void provider(stack, "vsphere", { password: "hunter2-hunter2" as never })));
    expect(error.message).toContain("'password' must be a Secret");
    expect(error.message).not.toContain("hunter2");
  });

  test("refuse a provider of another type", () => {
    const error = synthError(
      withPlatform((stack) => {
        const controlPlane = { count: 1, flavor: "m1.large", volumeType: "ssd", volumeSize: 50 } as never;
        cluster(stack, "prod", CaposProvider.fromName("openstack") as never, { controlPlane });
      }),
    );
    expect(error.message).toContain(
      "[stack/cluster-prod] 'provider' must be a provider of type capvs, got openstack, which is of type capos (",
    );
  });

  const ofCapov = { cpu: { cores: 2, sockets: 1, threads: 1 }, memoryMb: 4096, diskGb: 50 };
  const SIZES =
    "must have the sizes of a capvs cluster, got those of a capov cluster; use the construct of capov, or the fields of capvs";
  test.each([
    [{ controlPlane: { count: 3, ...ofCapov }, workers: [{ group: "a", count: 1, ...ofCapov }] }, "'controlPlane' and 'workers'"],
    [{ workers: [{ group: "a", count: 1, ...ofCapov }] }, "'workers'"],
  ])("refuse sizes of another type in one line", (props, which) => {
    const error = synthError(withPlatform((stack) => void cluster(stack, "prod", provider(stack), props as never)));
    expect(error.message).toContain(`[stack/cluster-prod] ${which} ${SIZES} (`);
  });

  test("name the fields of sizes that no type has", () => {
    const controlPlane = { count: 3, cpus: 4, memoryMib: 8192, disk: 60 } as never;
    const error = synthError(withPlatform((stack) => void cluster(stack, "prod", provider(stack), { controlPlane })));
    expect(error.message).toContain(
      "[stack/cluster-prod] 'controlPlane.diskGib' must be a whole number of GiB, at least 1, but is missing; 'controlPlane.disk' is not a prop here (",
    );
  });
});

describe("a provider of another stack", () => {
  test("is referred to by name, and its stack is deployed first", () => {
    const app = new App({ outdir: "/nonexistent" });
    const [first, second] = [new TerraformStack(app, "first"), new TerraformStack(app, "second")];
    new Platform(first, "platform");
    new Platform(second, "platform");
    cluster(second, "prod", provider(first));
    expect(second.dependsOn(first)).toBe(true);
  });

  test("that somebody else registered is a name", () => {
    expect(entry((stack) => void cluster(stack, "prod", CapvsProvider.fromName("elsewhere"))).triggers.provider).toBe(
      "elsewhere",
    );
  });
});

describe("with hooks, of an object", () => {
  const synthesized = synthesize((stack) => {
    new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
    const vsphere = provider(stack);
    const prod = cluster(stack, "prod", vsphere);
    for (const [name, { id, uid }] of Object.entries({ vsphere, prod })) new TerraformOutput(stack, name, { value: [id, uid] });
  });

  test("the id is the same text as with the provider, and the uid is the id of the instance", () => {
    expect(synthesized.output!.vsphere!.value).toEqual([
      "capvs/providers/vsphere",
      '${terraform_data.capvs_providers["vsphere"].id}',
    ]);
  });

  test("the uid of a cluster is known when the cluster is ready", () => {
    expect(synthesized.output!.prod!.value).toEqual([
      "capvs/clusters/prod",
      "${terraform_data.cluster_platform_capvs_cluster_ready_prod.output}",
    ]);
    expect(synthesized.resource.terraform_data!.cluster_platform_capvs_cluster_ready_prod).toMatchObject({
      input: '${terraform_data.capvs_clusters["prod"].id}',
      depends_on: ["terraform_data.capvs_clusters"],
    });
  });

  test("the uid is known to another stack", () => {
    const { output } = synthesize((stack) => {
      const other = new TerraformStack(stack.node.root, "other");
      new Platform(other, "platform", { engine: Engine.TERRAFORM_DATA });
      new TerraformOutput(stack, "uid", { value: provider(other).uid });
    });
    expect(output!.uid!.value).toMatch(/^\${data\.terraform_remote_state\.cross-stack-reference-input-other\.outputs\./);
  });
});

describe("dependsOn", () => {
  test("waits for the cluster with a resource of its own", () => {
    const { resource } = synthesize(
      withPlatform((stack) => {
        const prod = cluster(stack, "prod.eu", provider(stack));
        new TerraformVariable(stack, "x", {});
        expect(prod.fqn).toBe(prod.fqn);
      }),
    );
    expect(resource.terraform_data).toMatchObject({
      cluster_platform_capvs_cluster_ready_prod_2e_eu: {
        triggers_replace: '${terraform_data.capvs_clusters["prod.eu"].id}',
        depends_on: ["terraform_data.capvs_clusters"],
      },
    });
  });
});

describe("a value of an iterator, which only a block with a for_each or count has, is refused at synth", () => {
  test.each([Engine.TERRAFORM_DATA, Engine.NULL_RESOURCE, Engine.PROVIDER])("with %s", (engine) => {
    const { message } = synthError((stack) => {
      new Platform(stack, "platform", { engine });
      const iterator = TerraformIterator.fromList(["10.244.0.0/16"]);
      const text = "a literal ${each.key}";
      cluster(stack, "prod", provider(stack), { podSubnet: iterator.value as string, ingress: text });
      const { index } = TerraformCount.of(2);
      cluster(stack, "test", provider(stack, "other"), { controlPlane: { ...size, count: index } });
    });
    const rule = "must not use an iterator, because objects have none, got";
    expect(message).toContain(`'podSubnet' ${rule} each.value. Make a construct for each, as in \`for (const name of names) …\``);
    expect(message).toContain(`'controlPlane' ${rule} count.index`);
    expect(message).not.toContain("each.key");
  });
});
