import { ClusterPlatformError } from "../api/errors";
import { readBlock } from "./environment";
import type { Run } from "./run";

/** The destroy hook of the blocks that the other carrier would have: its instances are here by a switch of carriers. */
export async function refuse(run: Run): Promise<void> {
  const { type, kind, address } = readBlock(run.env);
  const [carrier, id] = address.split(".") as [string, string];
  const other = carrier === "terraform_data" ? "null_resource" : "terraform_data";
  throw new ClusterPlatformError(
    "CARRIER_SWITCHED",
    `the state has ${type} ${kind} in ${other}.${id}, but the code carries them in ${address}: the switch would drop them, while they live on. ` +
      `Nothing was touched. Set hookResource: HookResource.${other.toUpperCase()} again`,
  );
}
