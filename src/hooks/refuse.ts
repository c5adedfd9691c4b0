import { blockAddress, parseBlockAddress } from "../contract/addresses";
import { ClusterPlatformError } from "../model/errors";
import { readBlock } from "./environment";
import type { Run } from "./run";

/** The destroy hook of the blocks that the other engine would have: its instances are here by a switch of engines. */
export async function refuse(run: Run): Promise<void> {
  const { type, kind, address } = readBlock(run.env);
  const { engine, id } = parseBlockAddress(address)!;
  const other = engine === "terraform_data" ? "null_resource" : "terraform_data";
  throw new ClusterPlatformError(
    "CARRIER_SWITCHED",
    `the state has ${type} ${kind} in ${blockAddress(other, id)}, but the code carries them in ${address}: the switch would drop them, while they live on. ` +
      `Nothing was touched. Set engine: Engine.${other.toUpperCase()} again`,
  );
}
