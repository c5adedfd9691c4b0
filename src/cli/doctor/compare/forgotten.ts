import { platformPrefix, PLUGIN_NAME, PLUGIN_READY_TYPE } from "../../../contract/addresses";
import { enumerated } from "../../../lifecycle/wording";
import { type Blocks, blocksIn } from "../../../terraform/blocks";
import type { StateObject } from "../../drift/state-objects";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { Stack } from "../stack";
import type { PlacedObject } from "./placed";
import { isForgotten, isOwned, isReleased } from "./stored";
import { groupedBy } from "../../report/grouped-by";
import { type PlatformId, supportInstance, UNKNOWN_PLATFORM } from "../../report/instance";
import type { StateResource } from "../../report/state-values";
import { platformAt, inNumber, RESTORE_PLATFORM, SET_PROVIDER_ENGINE } from "./words";

/**
 * Objects that an apply would forget without deleting them, or would refuse to handle.
 * @param isAdopted whether the code declares the object elsewhere and adopts it
 */
export function* forgotten(
  stack: Stack,
  had: readonly PlacedObject[],
  resources: readonly StateResource[],
  isAdopted: (object: StateObject) => boolean,
): Generator<CheckResult> {
  const inModules = had.filter(isInModule).map(idOf);
  if (inModules.length > 0) {
    const are = inNumber(inModules, "is");
    yield doubtful("state", `${enumerated(inModules)} ${are} in a Terraform module, whose code is not checked`);
  }
  const released = had.filter((object) => !isInModule(object) && object.engine !== "provider" && isForgottenBlock(object, stack));
  if (released.length > 0) {
    yield doubtful(
      "state",
      `a removed block forgets ${enumerated(released.map(idOf))}: an apply leaves ${inNumber(released, "it")} on the service`,
    );
  }
  const inRoot = had.filter((object) => !isInModule(object) && object.engine !== "provider" && !released.includes(object));
  const byProvider = had.filter((object) => !isInModule(object) && object.engine === "provider").map(idOf);
  const withPlugin = new Set(pluginPrefixes(stack));
  if (byProvider.length > 0 && withPlugin.size === 0) {
    yield wrong(
      "engine",
      `the state has ${enumerated(byProvider)} with Engine.PROVIDER, and the code has another engine, or no Platform: 'terraform init' fails. ` +
        SET_PROVIDER_ENGINE,
    );
  }
  const isInCode = (prefix: string) => stack.platforms.some((platform) => platform.prefix === prefix);
  const left = had.flatMap((object) =>
    object.engine === "provider" && !isReleased(stack, object)
      ? [{ of: object.id.platform, what: idOf(object), address: object.address }]
      : [],
  );
  // Without its own block, the provider of a Platform with a name cannot remove them.
  const waiting = resources.flatMap(({ deposed, ...resource }) => {
    const of = resource.type === PLUGIN_READY_TYPE && !deposed && supportInstance(resource)?.platform;
    return of && of.prefix !== "" && !stack.forgotten.has(resource.address)
      ? [{ of, what: resource.address, address: resource.address }]
      : [];
  });
  const lacking = [...left, ...waiting].filter(({ of }) => withPlugin.size > 0 && of.module === "" && !withPlugin.has(of.prefix));
  const isUnknown = ({ of }: { readonly of: PlatformId }) => of.prefix === UNKNOWN_PLATFORM;
  const unknown = lacking.filter(isUnknown);
  if (unknown.length > 0) {
    const [are, addresses] = [inNumber(unknown, "is"), unknown.map(({ address }) => address)];
    yield doubtful(
      "Platform",
      `${enumerated(unknown.map(({ what }) => what))} ${are} in the state at ${enumerated(addresses)}, as after 'terraform state mv', and no Platform of the code has ${unknown.length === 1 ? "that address" : "those addresses"}. ` +
        "So the doctor cannot tell what an apply does. Move back with 'terraform state mv' what this stack should keep",
    );
  }
  for (const [prefix, all] of groupedBy(
    lacking.filter((each) => !isUnknown(each)),
    ({ of }) => of.prefix,
  )) {
    const [why, way] = isInCode(prefix)
      ? ["has another engine in the code", SET_PROVIDER_ENGINE]
      : [
          "was removed from the code",
          `${RESTORE_PLATFORM}. If it has another name now, keep an empty Platform with the old name for one apply, and write a moved block for each object`,
        ];
    yield wrong(
      "Platform",
      `the state has ${enumerated(all.map(({ what }) => what))} of ${platformAt(prefix)}, which ${why}: a plan will fail. ${way} [MISSING_PLATFORM]`,
    );
  }
  for (const [block, objects] of groupedBy(
    inRoot.filter((object) => isOwned(object) && stack.destroyHook(object.id.block) === "refuse"),
    ({ id }) => id.block,
  )) {
    yield wrong(
      "engine",
      `the state has ${enumerated(objects.map(idOf))} in ${block}, and the code has another engine: an apply refuses that. ` +
        "Set the engine of the Platform to the one that the state has [ENGINE_SWITCHED]",
    );
  }
  const lost = inRoot.filter((object) => isForgotten(stack, object) && !isAdopted(object));
  for (const objects of groupedBy(lost, ({ id, engine }) => `${id.platform.prefix} ${engine}`).values()) {
    const [{ id, engine }] = objects as [PlacedObject];
    const { prefix } = id.platform;
    const [why, way] = isInCode(prefix)
      ? ["has another engine in the code", `Set migrateFrom: Engine.${engine.toUpperCase()} on it, as docs/engines.md says`]
      : ["was removed from the code", RESTORE_PLATFORM];
    yield wrong(
      "Platform",
      `the state has ${enumerated(objects.map(idOf))} of ${platformAt(prefix)}, which ${why}: ` +
        `an apply would forget these objects, and they would stay on the service. ${way}`,
    );
  }
}

/** Of the Platforms that have a block of the Terraform provider. */
function pluginPrefixes({ synthesized }: Stack): string[] {
  const { provider } = (synthesized ?? {}) as {
    readonly provider?: Readonly<Record<string, Blocks<{ readonly alias?: string }>>>;
  };
  return blocksIn(provider?.[PLUGIN_NAME]).map(({ alias }) => platformPrefix(alias));
}
const idOf = ({ id }: StateObject) => id.id;
const isForgottenBlock = ({ id }: StateObject, stack: Stack) => stack.forgotten.has(id.block);
const isInModule = ({ id }: StateObject) => id.platform.module !== "";
