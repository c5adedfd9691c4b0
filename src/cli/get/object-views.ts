import type { LiveCluster, LiveProvider } from "../../api/client";

export interface ObjectView {
  /** Unique among the objects of its kind. */
  readonly key: string;
  readonly name: string;
  readonly row: readonly string[];
  /** The fields that this package reads from a list, under its own names. */
  readonly json: object;
}

export const COLUMNS = {
  providers: ["TYPE", "NAME", "KUBERNETES", "ADDRESS POOL", "FREE", "EDIT CSI"],
  clusters: ["TYPE", "NAME", "PROVIDER", "PHASE", "CONTROL PLANE", "WORKERS", "API ENDPOINT", "CONDITIONS"],
};

export function objectViews(objects: readonly (LiveCluster | LiveProvider)[]): ObjectView[] {
  return objects
    .map((object) => ({
      key: JSON.stringify([object.type, object.name]),
      name: object.name,
      row: "phase" in object ? clusterRow(object) : providerRow(object),
      json: json(object),
    }))
    .sort((one, other) => one.key.localeCompare(other.key));
}

function json({ raw: _, ...object }: LiveCluster | LiveProvider): object {
  return "workers" in object ? { ...object, workers: Object.fromEntries(object.workers ?? []) } : object;
}

function clusterRow({
  type,
  name,
  provider,
  phase,
  controlPlaneCount,
  workers,
  apiEndpoint,
  conditions,
}: LiveCluster): readonly string[] {
  const groups = [...(workers ?? [])].map(([group, count]) => `${group} ${count}`).join(", ");
  const met = conditions.filter(({ status }) => status === "True").map((condition) => condition.type);
  return [type, name, provider, phase, String(controlPlaneCount ?? ""), groups, apiEndpoint, met.join(" ")];
}

function providerRow({
  type,
  name,
  kubernetesVersions,
  ipAddressPoolName,
  poolAvailable,
  allowEditCsi,
}: LiveProvider): readonly string[] {
  return [
    type,
    name,
    kubernetesVersions.join(" "),
    ipAddressPoolName ?? "",
    ipAddressPoolName ? String(poolAvailable ?? "") : "",
    yesOrNo(allowEditCsi),
  ];
}

function yesOrNo(value: boolean | undefined): string {
  if (value === undefined) return "";
  return value ? "yes" : "no";
}
