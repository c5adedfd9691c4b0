import { TerraformVariable, Token, type TerraformStack } from "cdktf";
import { cluster, provider, size } from "../support/capvs";
import { inOneLine, StackFixture } from "../terraform/stack-fixture";

const CIDR = "must be a network in CIDR notation, as in 10.96.0.0/12";

type Case = [name: string, value: unknown, props: (token: TerraformVariable) => object, part: string];
const text = (prop: string) => (token: TerraformVariable) => ({ [prop]: token.stringValue });
const flag = (prop: string) => (token: TerraformVariable) => ({ [prop]: token.booleanValue });
const count = (token: TerraformVariable) => ({ controlPlane: { ...size, count: token.numberValue } });
const worker = (props: (token: TerraformVariable) => object) => (token: TerraformVariable) => ({
  workers: [{ group: "default", count: 1, ...size, ...props(token) }],
});

/** Values that Terraform itself refuses as soon as it knows them. */
const clustersAtPlan: Case[] = [
  ["pod-no-network", "10.244.0.0", text("podSubnet"), `'podSubnet' ${CIDR}`],
  ["pod-prefix", "10.244.0.0/33", text("podSubnet"), `'podSubnet' ${CIDR}`],
  ["pod-empty", "", text("podSubnet"), `'podSubnet' ${CIDR}`],
  ["endpoint-port", "10.0.0.1:6443", text("apiEndpoint"), `'apiEndpoint' must be an IP address`],
  ["endpoint-name", "api.example.com", text("apiEndpoint"), "'apiEndpoint' must be an IP address"],
  ["endpoint-lines", "10.0.0.1\r\nX-Evil: 1", text("apiEndpoint"), "'apiEndpoint' must be an IP address"],
  ["version-short", "2.5", text("productVersion"), "'productVersion' must be a version of the form"],
  ["kube-latest", "latest", text("kubernetesVersion"), "'kubernetesVersion' must be a Kubernetes version"],
  ["vip-name", "vip", text("ingressVip"), `'ingressVip' must be an IP address, or empty`],
  ["secure-text", "yes", flag("secure"), `'secure' must be true or false`],
  ["csi-number", 7, flag("enableCsi"), "'enableCsi' must be true or false"],
  ["count-zero", 0, count, "'controlPlane.count' must be a whole number of nodes, at least 1"],
  ["count-half", 2.5, count, "at least 1"],
  ["count-text", "three", count, "at least 1"],
  [
    "worker-negative",
    -1,
    worker((token) => ({ count: token.numberValue })),
    "'workers[0].count' must be a whole number of nodes, at least 0",
  ],
];
const providersAtPlan: Case[] = [
  ["datastore-empty", "", text("datastore"), `'datastore' must not be empty`],
  ["edit-text", "maybe", flag("allowEditCsi"), `'allowEditCsi' must be true or false`],
];

/** Values that break a rule which Terraform's language cannot express. The hook refuses them. */
const clustersInHook: Case[] = [
  ["pod-null", null, text("podSubnet"), `'podSubnet' ${CIDR}, but is missing`],
  [
    "pod-overlaps",
    "10.96.0.0/16",
    text("podSubnet"),
    `'podSubnet' must not overlap 'serviceSubnet' (10.96.0.0/12), got "10.96.0.0/16"`,
  ],
  ["service-overlaps", "10.0.0.0/8", text("serviceSubnet"), "'podSubnet' must not overlap 'serviceSubnet' (10.0.0.0/8)"],
  ["ingress-lines", "a\nb", text("ingress"), "'ingress' must not hold control characters"],
  ["count-null", null, count, "'controlPlane.count' must be a whole number of nodes, at least 1, but is missing"],
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
const providersInHook: Case[] = [
  ["server-scheme", "https://vcenter", text("server"), "'server' must be host:port, without a scheme"],
  ["folder-lines", "/a\nb", text("folder"), "'folder' must not hold control characters"],
];

const variableOf = (stack: TerraformStack, [name, value]: Case) =>
  // cdktf cannot write null as a default, so null comes from the environment.
  new TerraformVariable(stack, `v-${name}`, { type: "any", ...(value !== null && { default: value }) });
const nulls = Object.fromEntries(
  clustersInHook.filter(([, value]) => value === null).map(([name]) => [`TF_VAR_v-${name}`, "null"]),
);

function declare(fixture: StackFixture, clusters: readonly Case[], providers: readonly Case[]): void {
  fixture.workspace.synth((stack) => {
    fixture.platform(stack);
    const on = provider(stack);
    cluster(stack, "good", on);
    for (const bad of clusters) cluster(stack, bad[0], on, { id: bad[0], ...bad[2](variableOf(stack, bad)) });
    for (const bad of providers) provider(stack, bad[0], { id: bad[0], ...bad[2](variableOf(stack, bad)) });
  });
}

test("values of tokens are checked before anything is sent, and live objects are not touched", async () => {
  const fixture = await StackFixture.open();
  try {
    fixture.declare(["good"]);
    await fixture.applied();
    const sent = fixture.writes();
    const before = instances(fixture);

    for (const [clusters, providers, by] of [
      [clustersAtPlan, [], "terraform"],
      [[], providersAtPlan, "terraform"],
      [clustersInHook, [], "hook"],
      [[], providersInHook, "hook"],
    ] as const) {
      declare(fixture, clusters, providers);
      const output = inOneLine(await failing(fixture));
      for (const [name, , , part] of [...clusters, ...providers]) expect(said(output, name, by)).toContain(part);
      if (by === "terraform") expect(instances(fixture)).toEqual(before);
    }
    expect(fixture.writes()).toEqual(sent);
    expect(instances(fixture)).toMatchObject(before);

    fixture.declare(["good"]);
    await fixture.applied();
    expect(await fixture.workspace.plan()).toEqual([]);
    expect(fixture.writes()).toEqual(sent);
  } finally {
    await fixture.close();
  }
});

function said(output: string, name: string, by: "terraform" | "hook"): string {
  const message = `test/${name}: ((?:(?!test/)[^])*?)`;
  const pattern =
    by === "terraform"
      ? `${message}; the token there gives another value: correct its source`
      : `Error \\[INVALID_PROP\\] ${message}; nothing was sent to create the object\\. A token gave this value: correct its source and apply again`;
  return new RegExp(pattern).exec(output)?.[1] ?? `nothing is said of ${name}`;
}

async function failing(fixture: StackFixture): Promise<string> {
  const { status, output } = await fixture.workspace.apply({ env: nulls });
  expect(status).toBe(1);
  return output;
}

function instances(fixture: StackFixture): Record<string, string> {
  const { resources } = JSON.parse(fixture.workspace.state()) as {
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
