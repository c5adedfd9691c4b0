import { blockAddress, parseBlockAddress } from "../contract/addresses";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { decide } from "../lifecycle/remedy";
import { readBlock } from "./environment";
import type { Run } from "./run";

/** Destroy hook of the blocks of the engine that is not selected. They have instances only after a switch of engines. */
export async function refuse(run: Run): Promise<void> {
  const { type, kind, address } = readBlock(run.env);
  const { engine, id } = parseBlockAddress(address)!;
  const other = engine === "terraform_data" ? "null_resource" : "terraform_data";
  throw new LifecycleError({
    code: "ENGINE_SWITCHED",
    objects: [],
    summary: `the state has ${type} ${kind} in ${blockAddress(other, id)}, but the code has them in ${address}: the switch would drop them from the state, and they would stay on the service`,
    detail: "Nothing was changed",
    remedies: [decide(`Set engine: Engine.${other.toUpperCase()} again`)],
  });
}
