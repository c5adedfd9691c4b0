import type { ObjectGolden } from "./golden";

type Rejected = ObjectGolden["rejected"];

const NAME = "be 1 to 253 ASCII letters, digits, '.', '_' or '-', beginning and ending with a letter or digit";
const CIDR = "be a network in CIDR notation, as in 10.96.0.0/12";
const SERVICES = "be a choice of services, as from Services.base() or Services.only(...)";
const ROLE = "be a node role: workers, infra, control-plane or a full label such as example.com/gpu";

export const providerRules: Rejected = [
  ["name", "no spaces", `${NAME}, got "no spaces"`],
  ["name", "-edge", `${NAME}, got "-edge"`],
  ["name", "", `${NAME}, got ""`],
  ["name", undefined, `${NAME}, but is missing`],
  ["credentialsVersion", true, "be a string or a number, got true"],
  ["bodyOverrides", "{}", `be an object that is merged over the request body, got "{}"`],
];

export const templateRules: Rejected = [
  ["templates", [], "hold at least one template, got []"],
  ["templates", "a", `be a list of templates, got "a"`],
  ["templates[0]", "a", `be { template, kubernetesVersion }, got "a"`],
  ["templates[0].template", "", `not be empty, got ""`],
  ...["v1.28", "1.28.3"].map((version): Rejected[number] => [
    "templates[0].kubernetesVersion",
    version,
    `be a Kubernetes version of the form v<major>.<minor>.<patch>, as in v1.28.3, got "${version}"`,
  ]),
];

/** Rules for all clusters. `apiEndpoint` and `productVersion` differ by type. */
export const clusterRules: Rejected = [
  ["name", "prod/eu", `${NAME}, got "prod/eu"`],
  ["provider", "", `${NAME}, got ""`],
  ["podSubnet", "10.244.0.0", `${CIDR}, got "10.244.0.0"`],
  ["podSubnet", "10.244.0.0/33", `${CIDR}, got "10.244.0.0/33"`],
  ["serviceSubnet", 12, `${CIDR}, got 12`],
  ["kubernetesVersion", "latest", `be a Kubernetes version, as in v1.28.3 or 1.28.3, got "latest"`],
  ["services", ["product-vip"], `${SERVICES}, got ["product-vip"]`],
  ["services", { preset: "most" }, `${SERVICES}, got {"preset":"most"}`],
  [
    "services",
    { enabled: ["product-vip"], disabled: ["all"] },
    `${SERVICES}, got {"enabled":["product-vip"],"disabled":["all"]}`,
  ],
  ["ingress", "a\nb", `not hold control characters such as line breaks, got "a\\nb"`],
  ["ingressVip", "vip", `be an IP address, or empty, got "vip"`],
  ["externalApiLoadBalancer", "yes", `be true or false, got "yes"`],
  ["externalIngressLoadBalancer", 1, "be true or false, got 1"],
  ["secure", null, "be true or false, got null"],
  ["bodyOverrides", [], "be an object that is merged over the request body, got []"],
  ["controlPlane", 3, "be an object, got 3"],
  ["controlPlane.count", 0, "be a whole number of nodes, at least 1, got 0"],
  ["controlPlane.count", 2.5, "be a whole number of nodes, at least 1, got 2.5"],
  ["controlPlane.group", "", `${NAME}, got ""`],
  ["controlPlane.roles", [], "hold at least one node role, got []"],
  ["controlPlane.roles[0]", "a b", `${ROLE}, got "a b"`],
  ["workers", {}, "be a list of worker groups, got {}"],
  ["workers[0]", null, "be an object, got null"],
  ["workers[0].group", undefined, `${NAME}, but is missing`],
  ["workers[0].count", -1, "be a whole number of nodes, at least 0, got -1"],
  ["workers[0].roles", "workers", `be a list of node roles, got "workers"`],
  ["workers[0].roles[0]", "", `${ROLE}, got ""`],
];

/** Rules for clusters whose users choose the control plane's address. */
export const endpointRules: Rejected = [
  ["apiEndpoint", "10.0.0.10:6443", `be an IP address, got "10.0.0.10:6443"`],
  ["apiEndpoint", "", `be an IP address, got ""`],
  ["apiEndpoint", undefined, "be an IP address, but is missing"],
];

export const productVersionRules: Rejected = [
  ["productVersion", "1.5", `be a version of the form <major>.<minor>.<patch>, as in 1.28.3, got "1.5"`],
  ["productVersion", undefined, "be a version of the form <major>.<minor>.<patch>, as in 1.28.3, but is missing"],
];

export const texts = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, "", `not be empty, got ""`],
    [prop, "a\u0000b", `not hold control characters such as line breaks, got "a\\u0000b"`],
    [prop, 1, "be a string, got 1"],
  ]);

export const optionalTexts = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, "a\nb", `not hold control characters such as line breaks, got "a\\nb"`],
    [prop, false, "be a string, got false"],
  ]);

export const textLists = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, "a", `be a list of strings, got "a"`],
    [`${prop}[0]`, "", `not be empty, got ""`],
  ]);

const SECRET = `be a Secret, as from Secret.fromEnv("NAME"), Secret.fromFile("path") or Secret.fromToken(token)`;

/** The message does not repeat a bare value. */
export const secrets = (...props: string[]): Rejected => props.map((prop) => [prop, "hunter2", `${SECRET}, got a bare string`]);

export const textsOrSecrets = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, "", "be a string that is not empty and of one line, or a Secret, got a bare string"],
    [prop, 7, "be a string that is not empty and of one line, or a Secret, got a bare number"],
  ]);

export const booleans = (...props: string[]): Rejected => props.map((prop) => [prop, "true", `be true or false, got "true"`]);

export const wholes = (unit: string, min: number, ...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, min - 1, `be a whole number of ${unit}, at least ${min}, got ${min - 1}`],
    [prop, min + 0.5, `be a whole number of ${unit}, at least ${min}, got ${min + 0.5}`],
    [prop, "4", `be a whole number of ${unit}, at least ${min}, got "4"`],
  ]);

export const wholeNumbers = (min: number, ...props: string[]): Rejected =>
  props.map((prop) => [prop, min - 1, `be a whole number, at least ${min}, got ${min - 1}`]);

export const quantities = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, "16", `be a number with a unit suffix, as in 16Gi, got "16"`],
    [prop, "Gi", `be a number with a unit suffix, as in 16Gi, got "Gi"`],
    [prop, 16, "be a number with a unit suffix, as in 16Gi, got 16"],
  ]);

export const httpUrls = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, "example.com", `be an absolute http or https URL, got "example.com"`],
    [prop, "ftp://example.com", `be an absolute http or https URL, got "ftp://example.com"`],
  ]);

export const httpsUrls = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, "example.com", `be an absolute https URL, got "example.com"`],
    [prop, "http://example.com", `be an absolute https URL, got "http://example.com"`],
  ]);

export const labels = (...props: string[]): Rejected =>
  props.flatMap((prop) => [
    [prop, ["rack"], `be a map of labels, as in { rack: "a1" }, got ["rack"]`],
    [`${prop}.rack`, 1, "be a string, got 1"],
    [`${prop}.rack`, "a\nb", `not hold control characters such as line breaks, got "a\\nb"`],
    [`${prop}.`, "a1", `have a key that is not empty, not __proto__ and free of control characters, got "a1"`],
  ]);
