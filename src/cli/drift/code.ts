import { clusterReadyId, supportAddress, supportId } from "../../contract/addresses";
import type { JsonObject } from "../../model/provider-type";
import { expectationsIn } from "../../synthesized/platforms";
import type { InstanceId } from "../report/instance";
import type { StateObject } from "./state-objects";

type Waits = Pick<StateObject, "isWaitedFor" | "readiness">;

/**
 * Adds what the code says about waits to the objects of a state. With hooks, the state does not have it.
 * @param synthesized the stack of the state
 */
export function withCode(objects: readonly StateObject[], synthesized: JsonObject): StateObject[] {
  return objects.map((object) => {
    const isWithHooks = object.engine !== "provider" && object.id.platform.module === "";
    return isWithHooks && object.id.kind === "clusters" ? { ...object, ...waitsFor(object.id, synthesized) } : object;
  });
}

function waitsFor({ platform: { prefix }, type, name }: InstanceId, synthesized: JsonObject): Waits {
  const resources = (synthesized?.resource as Record<string, JsonObject> | undefined)?.terraform_data ?? {};
  const blocks = expectationsIn(resources[supportId(prefix, "ready")]);
  const expected = blocks.filter((block) => block.type === type && block.kind === "clusters");
  if (expected.some(({ ready }) => ready.includes(name))) {
    return { isWaitedFor: true, readiness: supportAddress(supportId(prefix, "ready")) };
  }
  // Other resources of the code may depend on this cluster alone. A replacement of its waiting resource may replace them.
  const own = clusterReadyId(prefix, { type, name });
  if (own in resources) return { isWaitedFor: true, readiness: undefined };
  // A cluster that left the code is reported, because the state still has it.
  return { isWaitedFor: !expected.some(({ present }) => present.includes(name)) };
}
