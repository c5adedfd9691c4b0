import { platformPrefix, PLUGIN_NAME, PLUGIN_READY_TYPE } from "../../../contract/addresses";
import { enumerated } from "../../../lifecycle/wording";
import { type Blocks, blocksIn } from "../../../terraform/blocks";
import type { StateObject } from "../../drift/state-objects";
import { groupedBy } from "../../report/grouped-by";
import { supportInstance, UNKNOWN_PLATFORM } from "../../report/instance";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { Stack } from "../stack";
import type { ComparedPlatform } from "./compared-platform";
import { isOwned, type PlannedState } from "./planned";
import { platformAt, inNumber, RESTORE_PLATFORM, SET_PROVIDER_ENGINE } from "./words";

/** Objects that an apply would forget without deleting them, or would refuse to handle. */
export function* forgotten(state: PlannedState, platforms: readonly ComparedPlatform[]): Generator<CheckResult> {
  const { stack, all } = state;
  const inModules = all.filter(isInModule);
  if (inModules.length > 0)
    yield doubtful("state", `${listed(inModules)} ${inNumber(inModules, "is")} in a Terraform module, whose code is not checked`);
  const withHooks = all.filter((object) => !isInModule(object) && !object.id.byProvider);
  const released = withHooks.filter(({ id }) => stack.forgotten.has(id.block));
  if (released.length > 0) {
    const it = inNumber(released, "it");
    yield doubtful("state", `a removed block forgets ${listed(released)}: an apply leaves ${it} on the service`);
  }
  yield* withoutProvider(state);
  const handled = withHooks.filter((object) => !released.includes(object));
  const refused = handled.filter((object) => isOwned(object) && stack.destroyHook(object.id.block) === "refuse");
  for (const [block, objects] of groupedBy(refused, ({ id }) => id.block)) {
    yield wrong(
      "engine",
      `the state has ${listed(objects)} in ${block}, and the code has another engine: an apply refuses that. ` +
        "Set the engine of the Platform to the one that the state has [ENGINE_SWITCHED]",
    );
  }
  // The code may declare the object elsewhere and adopt it.
  const isAdopted = (object: StateObject) =>
    platforms.some(({ declaredAs, adopted, mayBeHere }) => adopted.has(declaredAs(object.id.id)!) && mayBeHere(object));
  const lost = handled.filter((object) => state.planOf(object) === "forget" && !isAdopted(object));
  for (const objects of groupedBy(lost, ({ id, engine }) => `${id.platform.prefix} ${engine}`).values()) {
    const { id, engine } = objects[0]!;
    const migrate = `Set migrateFrom: Engine.${engine.toUpperCase()} on it, as docs/engines.md says`;
    const { which, way } = gone(stack, id.platform.prefix, migrate, RESTORE_PLATFORM);
    yield wrong(
      "Platform",
      `the state has ${listed(objects)} of ${which}: an apply would forget these objects, and they would stay on the service. ${way}`,
    );
  }
}

/** Of the Terraform provider, which the code does not have for their Platform. */
function* withoutProvider(state: PlannedState): Generator<CheckResult> {
  const { stack, all, resources } = state;
  const byProvider = all.filter((object) => !isInModule(object) && object.id.byProvider);
  const withPlugin = pluginPrefixes(stack);
  if (withPlugin.length === 0) {
    if (byProvider.length > 0)
      yield wrong(
        "engine",
        `the state has ${listed(byProvider)} with Engine.PROVIDER, and the code has another engine, or no Platform: 'terraform init' fails. ` +
          SET_PROVIDER_ENGINE,
      );
    return;
  }
  const left = byProvider
    .filter((object) => state.planOf(object) !== "release")
    .map(({ id, address }) => ({ prefix: id.platform.prefix, what: id.id, address }));
  // Without its own block, the provider of a Platform with a name cannot remove them.
  const waiting = resources.flatMap((resource) => {
    const [of, { address }] = [supportInstance(resource)?.platform, resource];
    const isNamed = resource.type === PLUGIN_READY_TYPE && of?.module === "" && of.prefix !== "";
    return isNamed && !stack.forgotten.has(address) ? [{ prefix: of.prefix, what: address, address }] : [];
  });
  const lacking = [...left, ...waiting].filter(({ prefix }) => !withPlugin.includes(prefix));
  for (const [prefix, each] of groupedBy(lacking, (one) => one.prefix)) {
    const what = enumerated(each.map((one) => one.what));
    if (prefix === UNKNOWN_PLATFORM) {
      const addresses = enumerated(each.map(({ address }) => address));
      yield doubtful(
        "Platform",
        `${what} ${inNumber(each, "is")} in the state at ${addresses}, as after 'terraform state mv', and no Platform of the code has ${inNumber(each, "that address")}. ` +
          "So the doctor cannot tell what an apply does. Move back with 'terraform state mv' what this stack should keep",
      );
      continue;
    }
    const renamed =
      "If it has another name now, keep an empty Platform with the old name for one apply, and write a moved block for each object";
    const { which, way } = gone(stack, prefix, SET_PROVIDER_ENGINE, `${RESTORE_PLATFORM}. ${renamed}`);
    yield wrong("Platform", `the state has ${what} of ${which}: a plan will fail. ${way} [MISSING_PLATFORM]`);
  }
}

/** What the code lacks, and the way out. */
function gone({ platforms }: Stack, prefix: string, ifSwitched: string, ifRemoved: string) {
  const isInCode = platforms.some((platform) => platform.prefix === prefix);
  const why = isInCode ? "has another engine in the code" : "was removed from the code";
  return { which: `${platformAt(prefix)}, which ${why}`, way: isInCode ? ifSwitched : ifRemoved };
}

/** Of the Platforms that have a block of the Terraform provider. */
function pluginPrefixes({ synthesized }: Stack): string[] {
  const { provider } = (synthesized ?? {}) as {
    readonly provider?: Readonly<Record<string, Blocks<{ readonly alias?: string }>>>;
  };
  return blocksIn(provider?.[PLUGIN_NAME]).map(({ alias }) => platformPrefix(alias));
}
const listed = (objects: readonly StateObject[]) => enumerated(objects.map(({ id }) => id.id));
const isInModule = ({ id }: StateObject) => id.platform.module !== "";
