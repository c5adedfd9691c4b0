import { isPluginResourceType } from "../../../contract/addresses";
import { withoutList } from "../../../lifecycle/wording";
import { isName } from "../../../model/object-name";
import { objectId } from "../../../model/object-ref";
import { blockOf, type CarryingBlock, hasDeclaration, keyOf, storedObject, supportInstance } from "../../report/instance";
import { snapshotIn } from "../../report/recorded";
import type { StateResource } from "../../report/state-values";
import { type CheckResult, wrong } from "../check-result";
import type { Stack } from "../stack";
import { placedResource, type PlaceOf } from "./placed";

/** An instance of the state that stands for no object. */
export interface IdleInstance {
  readonly address: string;
  /** Undefined if an apply drops the instance from the state. */
  readonly finding?: CheckResult;
}

/**
 * Instances that cannot move, and instances without a declaration or without the list of the objects. An apply destroys them, and
 * their destroy hook refuses, whatever the service has. Terraform runs no destroy hook of a tainted instance.
 */
export function idleInstances(stack: Stack, current: readonly StateResource[], placeOf: PlaceOf): IdleInstance[] {
  const stored = new Map(current.map((resource) => [resource.address, resource]));
  return current.flatMap((resource) => {
    const { target: to, at } = placeOf(resource.address);
    const placed = placedResource(resource, at);
    if (isWithoutList(placed, stack)) return unlisted(resource);
    if (isPluginResourceType(placed.type)) return unreadable(resource, placed);
    const block = blockOf(placed);
    if (!block || block.platform.module !== "") return [];
    const target = stored.get(to);
    // An instance that cannot move to another Platform leaves its own one.
    const isOfOnePlatform = target && (storedObject(target, target.values) ?? blockOf(target))?.platform === block.platform;
    if (target && target !== resource && isOfOnePlatform) return blockedMove(resource, target);
    return stack.destroyHook(block.block) !== undefined && !hasDeclaration(resource, resource.values, block)
      ? undeclared(resource, placed, block)
      : [];
  });
}

/** The state has another instance at the new address. */
function blockedMove({ address: from, tainted }: StateResource, target: StateResource): IdleInstance {
  if (tainted) return { address: from };
  const to = target.address;
  const superfluous = target.tainted ? to : from;
  const why = target.tainted ? `${to} is tainted, because its create was refused or did not finish: ` : "";
  return refused(
    superfluous,
    "engine",
    `the state has it twice, in ${from} and in ${to}, so Terraform cannot move it from the one to the other, and an apply will fail. ` +
      `${why}terraform state rm '${superfluous}' [DECLARED_ELSEWHERE]`,
  );
}

/** The code moves the instance from hooks to the Terraform provider, which cannot read its triggers. */
function unreadable(resource: StateResource, placed: StateResource): IdleInstance[] {
  const from = blockOf(resource);
  if (!from || from.byProvider || hasDeclaration(resource, resource.values, from)) return [];
  const { address } = resource;
  return [
    refused(
      address,
      "state",
      `${address} has no declaration in the state, and the code moves it to ${placed.address}: a plan will fail. Remove it: terraform state rm '${address}' [INVALID_SETTING]`,
    ),
  ];
}

/** The triggers hold no declaration, as after `terraform import`. */
function undeclared({ address, tainted }: StateResource, placed: StateResource, { type, kind }: CarryingBlock): IdleInstance {
  if (tainted) return { address };
  if (placed.address !== address) {
    return refused(
      address,
      "state",
      `${address} has no declaration in the state, and the code moves it to ${placed.address}, whose hooks cannot use it: an apply will fail. Remove that moved block [NOT_OURS]`,
    );
  }
  const key = keyOf(placed) ?? "";
  const id = isName(key) ? objectId(type, kind, key) : undefined;
  return refused(
    address,
    "state",
    `${address} has no declaration in the state, as after 'terraform import', which hooks cannot use: an apply will fail. ` +
      `Remove it: terraform state rm '${address}'${id === undefined ? "" : `. To take over a live object, then declare it and apply once with CLUSTER_PLATFORM_ADOPT=${id}`} [NOT_OURS]`,
  );
}

/** Whether it is a deletion guard or an orphan check whose triggers hold no snapshot. */
function isWithoutList(resource: StateResource, { destroyHook }: Stack): boolean {
  const support = supportInstance(resource)?.resource;
  const isRecorder = support === "deletion_guard" || support === "orphan_check";
  return isRecorder && destroyHook(resource.address) !== undefined && snapshotIn(resource.values) === undefined;
}

function unlisted({ address, tainted }: StateResource): IdleInstance {
  if (tainted) return { address };
  return refused(address, "state", `${withoutList(address, ": an apply will fail")} [INVALID_SETTING]`);
}

function refused(address: string, subject: string, message: string): IdleInstance {
  return { address, finding: wrong(subject, message) };
}
