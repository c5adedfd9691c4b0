import { blockAddress, instanceAddress, pluginResourceId, pluginResourceType } from "../../../contract/addresses";
import { idOf } from "../../../model/object-ref";
import { parseAddress } from "../../report/instance";
import { removing, type WayHome, waysHome } from "../../report/state-commands";
import { type CheckResult, doubtful, wrong } from "../check-result";
import type { StackPlatform } from "../stack";
import type { LivePlatform } from "./compared-platform";
import { handedOverFrom } from "./moves";
import { creation } from "./names";
import type { PlacedObject } from "./placed";
import { deletionOf, isOwned } from "./planned";

/** Declared objects that the state has at the address of another one, as after `terraform state mv`. It may have them twice. */
export function* misplaced(compared: LivePlatform): Generator<CheckResult> {
  const { stack, state, platform, had, journal, adopted, declaredAs, liveOf } = compared;
  for (const stored of had.filter((each) => state.planOf(each) === "refuse")) {
    yield wrong(
      "state",
      `${stored.address} was imported as ${stored.id.id}, and the code declares ${idOf(state.declaredAt(stored)!)} there: a plan will fail. Remove it: ${removing(stored.address)} [ADOPT_MISMATCH]`,
    );
  }
  const wayHome = waysHome(state.all, (each) => homeOf(each, compared));
  for (const stored of had.filter(isOwned)) {
    const object = declaredAs(stored.id.id);
    const home = homeOf(stored, compared);
    if (!object || home === undefined) continue;
    // A destroy hook, or the refresh of the provider, lets the state drop it.
    const { byProvider, block, name } = stored.id;
    const live = liveOf(stored.id);
    if (byProvider ? !live : journal.wasReplaced(stored.id, stored.uid ?? "")) continue;
    // A plan of the provider refuses an object that leaves one address of a Platform and comes at another one.
    const isAnother = (each: StackPlatform) => each !== platform && each.declared.some(({ address }) => address === stored.at);
    const left = byProvider ? stack.platforms.find(isAnother) : platform;
    if (left && deletionOf(left, stored).happens === "RETAIN") {
      const how = { isAdopted: adopted.has(object), isImported: false, withoutNotes: !byProvider };
      if (live && state.storedFor(object) === stored) yield creation(compared, object, how);
      continue;
    }
    const expected = byProvider ? home : (object.address ?? instanceAddress(block, name));
    // The provider is not asked whether a tainted object is deleted. Only the order of the apply decides whether that is refused.
    const verdict = stored.tainted ? doubtful : wrong;
    const fails = stored.tainted ? "may fail" : "will fail";
    const way = home === stored.address ? "Remove the moved block" : wayIn(wayHome(stored, home));
    yield verdict(
      "state",
      `the state has ${idOf(object)} at ${stored.address}, and the code expects it at ${expected}: an apply ${fails}. ${way} [DECLARED_ELSEWHERE]`,
    );
  }
}

/** The address at which the state must have the object. Undefined if it has it there, or if the engine is another one. */
function homeOf({ id, at, address, ownAddress }: PlacedObject, { stack, declaredAs }: LivePlatform): string | undefined {
  const object = declaredAs(id.id);
  const ofProvider = () => blockAddress(pluginResourceType(id.type, id.kind), pluginResourceId(id.platform.prefix, id.name));
  const byProvider = () => (object ? (object.address ?? handedOverFrom(stack, object)) : ofProvider());
  const home = id.byProvider ? byProvider() : instanceAddress(id.block, id.name);
  if (home === undefined || [home, object?.address].includes(at)) return undefined;
  // 'terraform state mv' cannot change the engine.
  return parseAddress(address)?.type === parseAddress(home)?.type ? home : (ownAddress ?? address);
}

/** As a sentence. */
function wayIn({ does, commands }: WayHome): string {
  if (commands.length === 0) return "The commands above move it, too";
  return `${does === "move" ? "Move it" : "The state has it there, too. Remove this entry"}: ${commands.join(", then ")}`;
}
