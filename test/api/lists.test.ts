import { notesOnLists } from "../../src/api/lists";
import { clustersOn } from "../../src/lifecycle/live";
import { listedAs, TYPE_CODES } from "../../src/model/provider-type";
import { clientOf, closeAll, failureOf, serve } from "./service";

afterEach(closeAll);

const clusters = async (body: unknown) => clientOf((await serve({ body })).url).listClusters();
const providers = async (body: unknown) => clientOf((await serve({ body })).url).listProviders();

const item = {
  id: "prod",
  clusterName: "prod",
  annotations: null,
  providerType: "capvs",
  providerConfigID: "vsphere-eu",
  apiEndpoint: "10.0.0.5:6443",
  networks: [
    { type: "Service CIDR", network: "10.96.0.0/12", netmask: "" },
    { type: "Pod CIDR", network: "10.244.0.0/16", netmask: "" },
  ],
  ingress: "*.apps.example.com",
  secure: true,
  phase: "Provisioned",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" }],
  controlplaneNodesCount: 3,
  workersGroups: [
    { groupName: "default", workersScale: null, workersCount: 2 },
    { groupName: "infra", workersScale: null, workersCount: 0 },
  ],
};
const one = (changes: object = {}) => ({ items: [{ ...item, ...changes }], count: 1 });

describe("the list of clusters", () => {
  test("has a cluster by its name, in this package's vocabulary", async () => {
    const list = await clusters({ items: [{ ...item, clusterName: "other" }, item], count: 2 });
    expect(list.find("prod")).toEqual({
      name: "prod",
      type: "capvs",
      provider: "vsphere-eu",
      phase: "Provisioned",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" }],
      apiEndpoint: "10.0.0.5:6443",
      ingress: "*.apps.example.com",
      podSubnet: "10.244.0.0/16",
      serviceSubnet: "10.96.0.0/12",
      secure: true,
      controlPlaneCount: 3,
      workers: new Map([
        ["default", 2],
        ["infra", 0],
      ]),
      raw: item,
    });
    expect(list.find("absent")).toBeUndefined();
    expect(list.names()).toEqual(["other", "prod"]);
    expect(list.all().map(({ name }) => name)).toEqual(["other", "prod"]);
  });

  test("finds a name that differs in case or in blanks at its ends, and prefers the exact one", async () => {
    const named = (...names: string[]) =>
      clusters({ items: names.map((name) => ({ ...item, clusterName: name })), count: names.length });
    for (const name of ["PROD", "prod ", "\tProd"]) {
      const list = await named("other", name);
      expect(list.findInAnyCase("prod")?.name).toBe(name);
      expect(list.find("prod")).toBeUndefined();
    }
    expect((await named("prod ", "prod")).findInAnyCase("prod")?.name).toBe("prod");
    expect((await named("pro d")).findInAnyCase("prod")).toBeUndefined();
  });

  test.each([
    { items: [], count: 0 },
    { items: null, count: 0 },
  ])("may be empty, as in %j", async (body) => {
    expect((await clusters(body)).all()).toEqual([]);
  });

  test("is accepted with unknown fields, and without fields that are not needed", async () => {
    const bare = { clusterName: "prod", providerType: "capxx", mood: { good: true } };
    expect((await clusters({ items: [bare], count: 1, nextPage: null })).find("prod")).toEqual({
      name: "prod",
      type: "capxx",
      provider: "",
      phase: "",
      conditions: [],
      apiEndpoint: "",
      ingress: "",
      podSubnet: undefined,
      serviceSubnet: undefined,
      controlPlaneCount: undefined,
      workers: undefined,
      raw: bare,
    });
  });

  test.each([
    [{ conditions: null }, "conditions", []],
    [{ conditions: [null, { type: "Ready" }, 7] }, "conditions", [{ type: "Ready", status: "", lastTransitionTime: "" }]],
    [{ phase: null }, "phase", ""],
    [{ providerConfigID: null }, "provider", ""],
    [{ apiEndpoint: 7 }, "apiEndpoint", ""],
    [{ networks: null }, "podSubnet", undefined],
    [{ networks: [{ type: "PodSubnet", network: "10.1.0.0/16" }] }, "podSubnet", "10.1.0.0/16"],
    [{ networks: [{ type: "ServiceSubnet", network: "10.2.0.0/16" }] }, "serviceSubnet", "10.2.0.0/16"],
    [{ networks: [{ type: "Pod CIDR", network: "" }] }, "podSubnet", undefined],
    [{ networks: ["Second Pod CIDR", "Pod CIDR v6"].map((type) => ({ type, network: "10.3.0.0/16" })) }, "podSubnet", undefined],
    [
      { networks: ["Second Service CIDR", "Service CIDR v6"].map((type) => ({ type, network: "10.3.0.0/16" })) },
      "serviceSubnet",
      undefined,
    ],
    [{ controlplaneNodesCount: "3" }, "controlPlaneCount", undefined],
    [{ workersGroups: null }, "workers", undefined],
    [{ workersGroups: [] }, "workers", new Map()],
    [{ workersGroups: [{ groupName: "a", workersCount: 1 }, { groupName: "b" }] }, "workers", undefined],
    [{ workersGroups: [{ groupName: "a", workersCount: 1 }, { workersCount: 1 }] }, "workers", undefined],
    [{ providerType: "productv2" }, "type", "capsmv2"],
  ])("accepts %j", async (changes, field, expected) => {
    expect((await clusters(one(changes))).find("prod")).toMatchObject({ [field]: expected });
  });

  test.each<[unknown, string]>([
    [[], "the reply must be an object, got a list"],
    [null, "the reply must be an object, got null"],
    ['"text"', "the reply must be an object, got a string"],
    [{}, "the reply's 'items' must be a list, got nothing"],
    [{ items: {}, count: 0 }, "the reply's 'items' must be a list, got an object"],
    [{ items: null, count: 1 }, "the reply's 'items' must be a list, got null"],
    [{ items: [item] }, "the reply's 'count' must be the number of items, 1, got nothing"],
    [{ items: [item], count: 2 }, "the reply's 'count' must be the number of items, 1, got 2"],
    [{ items: [], count: 1 }, "the reply's 'count' must be the number of items, 0, got 1"],
    [{ items: [item], count: "1" }, "the reply's 'count' must be the number of items, 1, got a string"],
  ])("%j proves nothing and is refused", async (body, message) => {
    const error = await failureOf(clusters(body));
    expect(error).toMatchObject({ code: "CONTRACT", message: `GET /api/v1/clusters: ${message}`, ambiguous: false });
  });

  test.each([undefined, null, "", 7])(
    "must have the type only of a cluster that is looked up, and it may be %j",
    async (providerType) => {
      const list = await clusters({
        items: [
          { ...item, providerType },
          { ...item, clusterName: "sound" },
        ],
        count: 2,
      });
      expect(list.find("other")).toBeUndefined();
      expect(list.find("sound")).toMatchObject({ type: "capvs" });
      expect(() => list.find("prod")).toThrow(/'items\[0\]\.providerType' must be a name, got .* \(cluster prod\)$/);
      expect(list.all()).toMatchObject([
        { name: "prod", type: "unknown", phase: "Provisioned" },
        { name: "sound", type: "capvs" },
      ]);
      expect(notesOnLists(list)).toEqual([expect.stringMatching(/\(cluster prod\); it is shown as far as it can be read$/)]);
    },
  );

  test.each([
    [null, "the reply's 'items[1]' must be an object, got null"],
    ["prod", "the reply's 'items[1]' must be an object, got a string"],
    [{}, "the reply's 'items[1].clusterName' must be a name, got nothing"],
    [{ ...item, clusterName: "" }, "the reply's 'items[1].clusterName' must be a name, got an empty string"],
  ])("proves no cluster absent if an item is %j, and is shown", async (odd, message) => {
    const list = await clusters({ items: [item, odd, odd], count: 3 });
    expect(list.find("prod")?.name).toBe("prod");
    expect(() => list.find("other")).toThrow(message);
    expect(list.all().map(({ name }) => name)).toEqual(["prod", ""]);
    expect(notesOnLists(list)).toEqual([
      `GET /api/v1/clusters: ${message}, and 1 more like it; it is shown as far as it can be read`,
    ]);
  });

  test.each([
    ["cut short", '{"items":[{"clusterName":"pr', "is not JSON, or not all of it arrived (28 characters)"],
    ["empty", "", "is empty, where JSON was expected"],
    [
      "a page of a proxy",
      "<!DOCTYPE html><html><head><title>\n Sign in &amp; <b></title>",
      `is an HTML page with the title "Sign in &amp;", not JSON: a proxy or another server answered instead of the service; check the URL`,
    ],
    ["a page without a title", " <html>", "is an HTML page, not JSON: "],
    ["XML", '<?xml version="1.0"?><Error/>', "is an XML document, not JSON: "],
    [
      "a page with a long title",
      `<html><title>${"x".repeat(5_000)}`,
      `is an HTML page with the title "${"x".repeat(99)}…", not JSON`,
    ],
  ])("that is %s is refused, and its text is not quoted", async (_, body, message) => {
    const error = await failureOf(clusters(body));
    expect(error.code).toBe("CONTRACT");
    expect(error.message).toContain(`GET /api/v1/clusters: the reply (200) ${message}`);
    expect(error.message).not.toContain("clusterName");
  });

  test("of 10,000 is searched without parsing each cluster", async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({
      ...item,
      clusterName: `c${index}`,
      providerType: index === 9_999 ? "capvs" : null,
    }));
    const list = await clusters({ items, count: items.length });
    expect(list.find("c9999")).toMatchObject({ name: "c9999", type: "capvs" });
    expect(list.find("c10000")).toBeUndefined();
    expect(list.names()).toHaveLength(10_000);
  });

  test("is accepted if it has the same item twice", async () => {
    const list = await clusters({ items: [item, { ...item }], count: 2 });
    expect(list.find("prod")!.phase).toBe("Provisioned");
    expect(list.all()).toHaveLength(1);
  });

  test.each([
    [{ providerType: "capov" }, "a capvs cluster on vsphere-eu and a capov cluster on vsphere-eu"],
    [{ phase: "Deleting", secure: null }, "they differ in secure, phase"],
    [{ providerConfigID: "other" }, "a capvs cluster on vsphere-eu and a capvs cluster on other"],
    [{ providerConfigID: null }, "a capvs cluster on vsphere-eu and a capvs cluster on (unknown)"],
  ])("is ambiguous if one of two clusters of a name is %j", async (changes, kinds) => {
    const message = `GET /api/v1/clusters: the reply's 'items' must name a cluster once, got prod twice: ${kinds}`;
    const other = { ...item, ...changes };
    for (const items of [
      [item, other],
      [item, item, other],
      [item, other, item],
    ]) {
      const list = await clusters({ items, count: items.length });
      expect(() => list.find("prod")).toThrow(message);
    }
  });
});

describe("the list of providers", () => {
  const config = {
    name: "vsphere-eu",
    kubeVers: ["v1.28.3", "v1.29.1"],
    allowEditCSI: true,
    IPAddressPoolName: "pool",
    IPAddressPoolAvailableCount: 12,
  };

  test("has a provider by its type and name, in this package's vocabulary", async () => {
    const list = await providers([
      { providerType: "capov", configs: [{ name: "vsphere-eu" }] },
      { providerType: "capvs", configs: [config] },
      { providerType: "capbd", configs: [] },
      { providerType: "capcd", configs: null },
    ]);
    expect(list.find("capvs", "vsphere-eu")).toEqual({
      type: "capvs",
      name: "vsphere-eu",
      kubernetesVersions: ["v1.28.3", "v1.29.1"],
      allowEditCsi: true,
      ipAddressPoolName: "pool",
      poolAvailable: 12,
      raw: config,
    });
    expect(list.find("capbd", "vsphere-eu")).toBeUndefined();
    expect(list.find("capvs", "other")).toBeUndefined();
    expect(list.all().map(({ type, name }) => `${type}/${name}`)).toEqual(["capov/vsphere-eu", "capvs/vsphere-eu"]);
  });

  test("is accepted without fields that are not needed", async () => {
    const list = await providers([
      {
        providerType: "capvs",
        configs: [
          { name: "a", kubeVers: null, allowEditCSI: "yes", IPAddressPoolName: 7 },
          { name: "b", kubeVers: [7] },
        ],
      },
    ]);
    expect(list.find("capvs", "a")).toMatchObject({
      kubernetesVersions: [],
      allowEditCsi: undefined,
      ipAddressPoolName: undefined,
      poolAvailable: undefined,
    });
    expect(list.find("capvs", "b")!.kubernetesVersions).toEqual([]);
  });

  test.each<[unknown, string]>([
    [null, "the reply must be a list, got null"],
    [{ items: [] }, "the reply must be a list, got an object"],
  ])("%j proves nothing and is refused", async (body, message) => {
    expect(await failureOf(providers(body))).toMatchObject({
      code: "CONTRACT",
      message: `GET /api/v1/platform/providers: ${message}`,
    });
  });
});

describe("a list of providers with one that cannot be read", () => {
  const sound = { providerType: "capvs", configs: [{ name: "a" }] };

  test.each<[unknown, string, (type: "capvs" | "capov", name: string) => boolean]>([
    [null, "'[1]' must be an object, got null", () => true],
    [{ configs: [] }, "'[1].providerType' must be a name, got nothing", () => true],
    [{ providerType: null, configs: [] }, "'[1].providerType' must be a name, got null", () => true],
    [
      { providerType: "capvs", configs: [{ name: null }] },
      "'[1].configs[0].name' must be a name, got null",
      (type) => type === "capvs",
    ],
    [{ providerType: "capvs" }, "'[1].configs' must be a list, got nothing", (type) => type === "capvs"],
    [{ providerType: "capov", configs: [{}] }, "'[1].configs[0].name' must be a name, got nothing", (type) => type === "capov"],
    [{ providerType: "capov", configs: [7] }, "'[1].configs[0]' must be an object, got 7", (type) => type === "capov"],
    [
      { providerType: "", configs: [{ name: "b" }] },
      "'[1].providerType' must be a name, got an empty string (provider b)",
      (_, name) => name === "b",
    ],
  ])("proves nothing about what may be %j and is not listed otherwise, and shows it", async (odd, message, isRefused) => {
    const list = await providers([sound, odd]);
    for (const type of ["capvs", "capov"] as const) {
      for (const name of ["a", "b"]) {
        const isListed = type === "capvs" && name === "a";
        if (!isListed && isRefused(type, name)) expect(() => list.find(type, name)).toThrow(message);
        else expect(list.find(type, name)?.name).toBe(isListed ? "a" : undefined);
      }
    }
    expect(list.all()).toHaveLength(2);
    expect(notesOnLists(list)).toEqual([expect.stringContaining(message)]);
  });
});

test("a cluster whose type cannot be read may be on a provider of any type with the name that it has", async () => {
  const list = await clusters(one({ providerType: null }));
  expect(clustersOn({ type: "capov", name: "vsphere-eu" }, list)).toEqual([{ type: "capov", kind: "clusters", name: "prod" }]);
  expect(clustersOn({ type: "capvs", name: "other" }, list)).toEqual([]);
});

test("has every type, by the name that the lists use for it", async () => {
  for (const code of TYPE_CODES) {
    expect((await clusters(one({ providerType: listedAs(code) }))).find("prod")!.type).toBe(code);
    expect((await providers([{ providerType: listedAs(code), configs: [{ name: "a" }] }])).find(code, "a")).toBeDefined();
  }
});
