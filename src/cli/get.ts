import { Argument, Command, Option } from "commander";
import type { LiveCluster, LiveProvider, PlatformClient } from "../api/client";
import { ClusterPlatformError } from "../model/errors";
import { openClient } from "../api/open-client";
import { KINDS, singular, type Kind } from "../model/provider-type";
import { Redactor } from "../model/redaction";
import { table } from "./table";

const COLUMNS = {
  providers: ["TYPE", "NAME", "KUBERNETES", "ADDRESS POOL", "FREE", "EDIT CSI"],
  clusters: ["TYPE", "NAME", "PROVIDER", "PHASE", "CONTROL PLANE", "WORKERS", "API ENDPOINT", "CONDITIONS"],
};

/** Every output format. */
const FORMATS = {
  table: (kind, objects) => (objects.length > 0 ? table(COLUMNS[kind], objects.map(row)) : `no ${kind}`),
  json: (_kind, objects) => JSON.stringify(objects.map(plain), null, 2),
} satisfies Readonly<Record<string, (kind: Kind, objects: readonly (LiveCluster | LiveProvider)[]) => string>>;

export const command = new Command("get")
  .addArgument(new Argument("<kind>").choices(KINDS))
  .argument("[name]", "only the one of this name")
  .addOption(new Option("-o, --output <format>", "how to print").choices(Object.keys(FORMATS)).default("table"))
  .addHelpText(
    "after",
    "\nThe service is the one of CLUSTER_PLATFORM_URL; the token comes from CLUSTER_PLATFORM_TOKEN, _TOKEN_FILE or _TOKEN_COMMAND.",
  )
  .action(async (kind: Kind, name: string | undefined, { output }: { output: keyof typeof FORMATS }) => {
    const client = openClient({}, process.env, new Redactor());
    try {
      const found = (await list(client, kind)).filter((object) => name === undefined || object.name === name);
      if (name !== undefined && found.length === 0)
        throw new ClusterPlatformError("NOT_FOUND", `there is no ${singular(kind)} '${name}' on the service`);
      console.log(FORMATS[output](kind, found));
    } finally {
      await client.close();
    }
  });

async function list(client: PlatformClient, kind: Kind): Promise<(LiveCluster | LiveProvider)[]> {
  const objects = kind === "clusters" ? (await client.listClusters()).all() : (await client.listProviders()).all();
  return objects.sort((one, other) => `${one.type} ${one.name}`.localeCompare(`${other.type} ${other.name}`));
}

/** What this package reads from a list, in its own vocabulary. */
function plain({ raw: _, ...object }: LiveCluster | LiveProvider): object {
  return "workers" in object ? { ...object, workers: Object.fromEntries(object.workers ?? []) } : object;
}

function row(object: LiveCluster | LiveProvider): string[] {
  if (!("phase" in object)) {
    const { type, name, kubeVersions, ipAddressPoolName, poolAvailable, allowEditCsi } = object;
    return [
      type,
      name,
      kubeVersions.join(" "),
      ipAddressPoolName ?? "",
      ipAddressPoolName ? String(poolAvailable ?? "") : "",
      yesOrNo(allowEditCsi),
    ];
  }
  const { type, name, provider, phase, controlPlaneCount, workers, apiEndpoint, conditions } = object;
  const groups = [...(workers ?? [])].map(([group, count]) => `${group} ${count}`).join(", ");
  const met = conditions.filter(({ status }) => status === "True").map((condition) => condition.type);
  return [type, name, provider, phase, String(controlPlaneCount ?? ""), groups, apiEndpoint, met.join(" ")];
}

function yesOrNo(value: boolean | undefined): string {
  if (value === undefined) return "";
  return value ? "yes" : "no";
}
