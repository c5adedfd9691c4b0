import { ClusterPlatformError } from "../api/errors";
import { readBlock } from "./environment";
import type { Run } from "./run";

/** The destroy hook of the blocks that the other carrier would have: its instances are here by a switch of carriers. */
export async function refuse(run: Run): Promise<void> {
  const { type, kind, address } = readBlock(run.env);
  const id = address.slice(address.indexOf(".") + 1);
  throw new ClusterPlatformError(
    "CARRIER_SWITCHED",
    `the state has ${type} ${kind} in terraform_data.${id}, but the code carries them in ${address}: the switch would drop them and create them anew. ` +
      `Nothing was touched. Set hookResource: HookResource.TERRAFORM_DATA again`,
  );
}
