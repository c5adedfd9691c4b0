import { BlockList, isIP } from "node:net";
import { TerraformElement, TerraformLocal, TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import type { JsonObject } from "../api/provider-type";
import { Cluster } from "./cluster";
import { createBeforeDestroyFindings } from "./create-before-destroy";
import type { ManagedObject } from "./managed-object";
import type { Platform } from "./platform";
import { isToken } from "./tokens";

/** Rules that no construct can see alone. All that is wrong is reported at once, each with the construct's path. */
export function crossConstructFindings(platform: Platform, objects: readonly ManagedObject[]): string[] {
  const clusters = objects.filter((object): object is Cluster => object instanceof Cluster);
  return [
    ...repeatedNames(platform),
    ...clusters.flatMap(overlappingNetworks),
    ...repeatedEndpoints(clusters),
    ...clusters.flatMap(versionWithoutTemplate),
    ...clusters.flatMap(bothServiceLists),
    ...foreignUsesOfOurIds(platform),
    ...createBeforeDestroyFindings(TerraformStack.of(platform), ownedAddresses(platform)),
  ];
}

/** Objects of all Platforms of the stack, in one pass per stack: each Platform reports those that it has itself. */
function repeatedNames(platform: Platform): string[] {
  const seen = new Map<string, ManagedObject>();
  const problems: string[] = [];
  for (const object of objectsOfStack(platform)) {
    const { kind, type, name } = object._carried;
    // Cluster names are the service's, whatever the type; registrations are named per type.
    const key = kind === "clusters" ? `cluster ${name}` : `${type} provider ${name}`;
    const first = seen.get(key);
    if (first && object.platform === platform) {
      problems.push(`${object.node.path}: 'name' must be unique, but ${first.node.path} declares the ${key} already`);
    }
    if (!first) seen.set(key, object);
  }
  return problems;
}

function objectsOfStack(platform: Platform): ManagedObject[] {
  return TerraformStack.of(platform)
    .node.findAll()
    .filter((node): node is ManagedObject => "_carried" in node && Construct.isConstruct(node));
}

function overlappingNetworks({ node, _spec: { podSubnet, serviceSubnet } }: Cluster): string[] {
  if (isToken(podSubnet) || isToken(serviceSubnet) || !overlap(podSubnet as string, serviceSubnet as string)) return [];
  return [`${node.path}: 'podSubnet' (${podSubnet}) must not overlap 'serviceSubnet' (${serviceSubnet})`];
}

function overlap(one: string, other: string): boolean {
  return contains(one, other) || contains(other, one);
}

/** Whether the network address of `inner` lies in `outer`. */
function contains(outer: string, inner: string): boolean {
  const [network, prefix] = outer.split("/") as [string, string];
  const [address] = inner.split("/") as [string];
  const family = (text: string) => (isIP(text) === 6 ? "ipv6" : "ipv4");
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family(network));
  return list.check(address, family(address));
}

function repeatedEndpoints(clusters: readonly Cluster[]): string[] {
  const seen = new Map<string, string>();
  const problems: string[] = [];
  for (const { node, _spec } of clusters) {
    for (const prop of ["apiEndpoint", "ingressVip"]) {
      const address = _spec[prop];
      if (typeof address !== "string" || address === "" || isToken(address)) continue;
      const use = `${node.path}: '${prop}'`;
      const first = seen.get(address);
      if (first) problems.push(`${use} must be an address of its own, but ${address} is also that of ${first}`);
      else seen.set(address, use);
    }
  }
  return problems;
}

function versionWithoutTemplate({ node, _spec, _provider }: Cluster): string[] {
  const wanted = _spec.kubernetesVersion;
  const templates = (_provider as { _spec?: JsonObject })._spec?.templates as { kubeVersion: string }[] | undefined;
  if (typeof wanted !== "string" || isToken(wanted) || !templates || isToken(templates)) return [];
  const offered = templates.map(({ kubeVersion }) => kubeVersion);
  if (offered.some((version) => isToken(version) || withoutV(version) === withoutV(wanted))) return [];
  return [
    `${node.path}: 'kubernetesVersion' must be one that a template of the provider ${_provider.providerName} offers (${offered.join(", ")}), got ${wanted}`,
  ];
}

const withoutV = (version: string) => version.replace(/^v/, "");

function bothServiceLists({ node, _spec, _carried }: Cluster): string[] {
  const overrides = ((_spec.bodyOverrides as JsonObject | undefined)?.cluster ?? {}) as JsonObject;
  const sent = (_carried.body?.cluster ?? overrides) as JsonObject;
  if (!("enabledServices" in sent && "disabledServices" in sent)) return [];
  return [
    `${node.path}: 'bodyOverrides' must not add a second list of services: which of enabledServices and disabledServices wins the service does not say; use 'services'`,
  ];
}

function ownedAddresses(platform: Platform): Set<string> {
  return new Set([...platform._carrier.ownedIds()].map(address).filter((owned) => owned !== undefined));
}

/** cdktf merges two elements of one id without a word. */
function foreignUsesOfOurIds(platform: Platform): string[] {
  const own = platform._carrier.ownedIds();
  const addresses = new Map([...own].map((element) => [address(element), element]));
  return TerraformStack.of(platform)
    .node.findAll()
    .filter((node): node is TerraformElement => TerraformElement.isTerraformElement(node) && !own.has(node))
    .filter((element) => addresses.has(address(element)) && address(element) !== undefined)
    .map(
      (element) =>
        `${element.node.path}: '${address(element)}' is an id of the Platform ${platform.node.path}; give the element another id, or the Platform a 'name'`,
    );
}

function address(element: TerraformElement): string | undefined {
  if (TerraformResource.isTerraformResource(element)) return `${element.terraformResourceType}.${element.friendlyUniqueId}`;
  return element instanceof TerraformLocal ? `local.${element.friendlyUniqueId}` : undefined;
}
