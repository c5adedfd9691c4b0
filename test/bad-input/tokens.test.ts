import { TerraformVariable, Token, type TerraformStack } from "cdktf";
import { cluster, provider } from "../support/capvs";
import { carriers } from "../support/tools";
import { Scene } from "../terraform/scene";
import { inOneLine } from "../terraform/stage";

const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };
const CIDR = "must be a network in CIDR notation, as in 10.96.0.0/12";

type Case = [name: string, value: unknown, props: (token: TerraformVariable) => object, part: string];
const text = (prop: string) => (token: TerraformVariable) => ({ [prop]: token.stringValue });
const flag = (prop: string) => (token: TerraformVariable) => ({ [prop]: token.booleanValue });
const count = (token: TerraformVariable) => ({ controlPlane: { ...size, count: token.numberValue } });
const worker = (props: (token: TerraformVariable) => object) => (token: TerraformVariable) => ({
  workers: [{ group: "default", count: 1, ...size, ...props(token) }],
});

/** Values that only Terraform knows, and that break a rule once they are known. */
const clusters: Case[] = [
  ["pod-no-network", "10.244.0.0", text("podSubnet"), `'podSubnet' ${CIDR}, got "10.244.0.0"`],
  ["pod-prefix", "10.244.0.0/33", text("podSubnet"), `'podSubnet' ${CIDR}`],
  ["pod-empty", "", text("podSubnet"), `'podSubnet' ${CIDR}, got ""`],
  ["pod-null", null, text("podSubnet"), `'podSubnet' ${CIDR}, it is missing`],
  [
    "pod-overlaps",
    "10.96.0.0/16",
    text("podSubnet"),
    "'podSubnet' (10.96.0.0/16) must not overlap 'serviceSubnet' (10.96.0.0/12)",
  ],
  ["service-overlaps", "10.0.0.0/8", text("serviceSubnet"), "must not overlap 'serviceSubnet' (10.0.0.0/8)"],
  ["endpoint-port", "10.0.0.1:6443", text("apiEndpoint"), `'apiEndpoint' must be an IP address, got "10.0.0.1:6443"`],
  ["endpoint-name", "api.example.com", text("apiEndpoint"), "'apiEndpoint' must be an IP address"],
  ["endpoint-lines", "10.0.0.1\r\nX-Evil: 1", text("apiEndpoint"), "10.0.0.1\\r\\nX-Evil: 1"],
  ["version-short", "2.5", text("productVersion"), "'productVersion' must be a version of the form"],
  ["kube-latest", "latest", text("kubernetesVersion"), "'kubernetesVersion' must be a Kubernetes version"],
  ["ingress-lines", "a\nb", text("ingress"), "'ingress' must not hold control characters"],
  ["vip-name", "vip", text("ingressVip"), "'ingressVip' must be an IP address, or empty"],
  ["secure-text", "yes", flag("secure"), `'secure' must be true or false, got "yes"`],
  ["csi-number", 7, flag("enableCsi"), "'enableCsi' must be true or false, got 7"],
  ["count-zero", 0, count, "'controlPlane.count' must be a whole number of nodes, at least 1, got 0"],
  ["count-half", 2.5, count, "at least 1, got 2.5"],
  ["count-text", "three", count, `at least 1, got "three"`],
  ["count-null", null, count, "'controlPlane.count' must be a whole number of nodes, at least 1, it is missing"],
  [
    "worker-negative",
    -1,
    worker((token) => ({ count: token.numberValue })),
    "'workers[0].count' must be a whole number of nodes, at least 0, got -1",
  ],
  ["worker-group", "a b", worker((token) => ({ group: token.stringValue })), "'workers[0].group' must be 1 to 253 ASCII"],
  [
    "worker-roles",
    ["A B"],
    worker((token) => ({ roles: Token.asList(token.value) })),
    "'workers[0].roles[0]' must be a node role",
  ],
  [
    "renamed",
    "other",
    (token) => ({ bodyOverrides: { cluster: { clusterName: token.stringValue } } }),
    `'bodyOverrides.cluster.clusterName' must be the name "renamed"`,
  ],
];
const providers: Case[] = [
  ["server-scheme", "https://vcenter", text("server"), "'server' must be host:port, without a scheme"],
  ["datastore-empty", "", text("datastore"), `'datastore' must not be empty, got ""`],
  ["folder-lines", "/a\nb", text("folder"), "'folder' must not hold control characters"],
  ["edit-text", "maybe", flag("allowEditCsi"), `'allowEditCsi' must be true or false, got "maybe"`],
];

const variableOf = (stack: TerraformStack, [name, value]: Case) =>
  // cdktf cannot write a default of null; the environment can.
  new TerraformVariable(stack, `v-${name}`, { type: "any", ...(value !== null && { default: value }) });
const nulls = Object.fromEntries(clusters.filter(([, value]) => value === null).map(([name]) => [`TF_VAR_v-${name}`, "null"]));

test("values of tokens are held against the rules before anything is sent, and what lives is left alone", async () => {
  const scene = await Scene.open(carriers[0]!);
  try {
    scene.declare(["good"]);
    await scene.applied();
    const sent = scene.writes();
    const before = instances(scene);
    scene.workspace.synth((stack) => {
      scene.platform(stack);
      const on = provider(stack);
      cluster(stack, "good", on);
      for (const bad of clusters) cluster(stack, bad[0], on, { id: bad[0], ...bad[2](variableOf(stack, bad)) });
    });
    const output = inOneLine(await failing(scene));
    for (const [name, , , part] of clusters) expect(said(output, name)).toContain(part);
    scene.workspace.synth((stack) => {
      scene.platform(stack);
      cluster(stack, "good", provider(stack));
      for (const bad of providers) provider(stack, bad[0], { id: bad[0], ...bad[2](variableOf(stack, bad)) });
    });
    const registrations = inOneLine(await failing(scene));
    for (const [name, , , part] of providers) expect(said(registrations, name)).toContain(part);
    expect(scene.writes()).toEqual(sent);
    expect(instances(scene)).toMatchObject(before);

    scene.declare(["good"]);
    await scene.applied();
    expect(await scene.workspace.plan()).toEqual([]);
    expect(scene.writes()).toEqual(sent);
  } finally {
    await scene.close();
  }
});

/** The message about one construct, from where to the way out. */
function said(output: string, name: string): string {
  const [, message] = new RegExp(
    `Error: test/${name}: ((?:(?!Error: )[^])*?); nothing was sent\\. A token gave this value: correct its source and apply again \\[INVALID_PROP\\]`,
  ).exec(output) ?? [undefined, `nothing is said of ${name}`];
  return message!;
}

async function failing(scene: Scene): Promise<string> {
  const { status, output } = await scene.workspace.apply({ env: nulls });
  expect(status).toBe(1);
  return output;
}

/** Ids of the instances in the state that no failed create has tainted. */
function instances(scene: Scene): Record<string, string> {
  const { resources } = JSON.parse(scene.workspace.state()) as {
    resources: { name: string; instances: { index_key?: string; status?: string; attributes: { id: string } }[] }[];
  };
  return Object.fromEntries(
    resources
      .filter(({ name }) => /^capvs_/.test(name))
      .flatMap(({ name, instances }) =>
        instances.filter(({ status }) => !status).map(({ index_key, attributes }) => [`${name}/${index_key}`, attributes.id]),
      ),
  );
}
