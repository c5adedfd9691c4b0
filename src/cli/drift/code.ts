import { clusterSupportId, pluginResourceId, pluginResourceType, supportAddress, supportId } from "../../contract/addresses";
import type { HookExpectation } from "../../contract/hook-protocol";
import type { JsonObject } from "../../model/provider-type";
import { type Blocks, blocksIn } from "../../terraform/blocks";
import type { InstanceId } from "../report/instance";
import type { StateObject } from "./state-objects";

type Waits = Pick<StateObject, "isWaitedFor" | "readiness">;

/**
 * Adds what the code says about waits and moves to the objects of a state. With hooks, the state does not have it.
 * @param synthesized the stack of the state
 */
export function withCode(objects: readonly StateObject[], synthesized: JsonObject | null): StateObject[] {
  const moves = blocksIn(synthesized?.moved as Blocks<{ readonly from: string }> | undefined);
  const moved = new Set(moves.map(({ from }) => from));
  return objects.map((object) => {
    if (object.engine === "provider" || object.id.platform.module !== "") return object;
    return {
      ...object,
      ...(object.id.kind === "clusters" && waitsFor(object.id, synthesized)),
      ...(moved.has(object.address) && isOfProvider(object.id, synthesized) && { isMoving: true }),
    };
  });
}

function isOfProvider({ platform: { prefix }, type, kind, name }: InstanceId, synthesized: JsonObject | null): boolean {
  const resources = (synthesized?.resource as Record<string, JsonObject> | undefined)?.[pluginResourceType(type, kind)];
  return resources !== undefined && pluginResourceId(prefix, name) in resources;
}

function waitsFor({ platform: { prefix }, type, name }: InstanceId, synthesized: JsonObject | null): Waits {
  const local = (synthesized?.locals as JsonObject | undefined)?.[supportId(prefix, "ready")];
  const blocks = Array.isArray(local) ? (local as HookExpectation[]) : [];
  const expected = blocks.filter((block) => block.type === type && block.kind === "clusters");
  if (expected.some(({ ready }) => ready.includes(name))) {
    return { isWaitedFor: true, readiness: supportAddress(supportId(prefix, "ready")) };
  }
  // Other resources of the code may depend on this cluster alone. A replacement of its waiting resource may replace them.
  const own = clusterSupportId(prefix, type, "ready", name);
  const resources = (synthesized?.resource as Record<string, JsonObject> | undefined)?.terraform_data ?? {};
  if (own in resources) return { isWaitedFor: true, readiness: undefined };
  // A cluster that left the code is reported, because the state still has it.
  return { isWaitedFor: !expected.some(({ present }) => present.includes(name)) };
}
