import { Construct } from "constructs";
import { clusterSupportId, SUPPORT_RESOURCES, type SupportResource, supportAddress, supportId } from "../../contract/addresses";
import { removedWithHook, snapshotHook, type SnapshotCommand, snapshotOf } from "../hook-engine/destroy-hooks";
import type { PlatformResourcesProps } from "../synth/platform-resources";
import { HookProgram } from "../hook-engine/hook-program";
import { TopLevelBlocks } from "../synth/top-level-blocks";

type Props = Pick<PlatformResourcesProps, "prefix" | "objects" | "settings" | "elsewhere">;

/**
 * The support resources whose hooks run, with the digest of every object for them. The other support resources are forgotten. The
 * guard must find no object replaced. The orphan check would take a snapshot that is equal to that of the state for a destroy of
 * everything.
 */
const WITH_HOOK: Partial<Record<SupportResource, { readonly command: SnapshotCommand; readonly digest: string }>> = {
  deletion_guard: { command: "deletion-guard", digest: "" },
  orphan_check: { command: "orphan-check", digest: "moved" },
};

/**
 * Removes the support resources of an engine with hooks when another engine has taken over its objects. The deletion guard is
 * destroyed first, and its hook refuses the whole change if it deletes anything protected. The orphan check is destroyed after
 * all deletions, and its hook fails while a removed object still lives.
 */
export class RemovedSupport extends Construct {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: Props,
  ) {
    super(scope, id);
    const program = new HookProgram(this, props.settings);
    new TopLevelBlocks(this, "blocks", {
      removed: () => [...this.ofPlatform(program), ...this.ofClusters().map((each) => forgotten(supportAddress(each)))],
    });
  }

  private ofPlatform(program: HookProgram): object[] {
    const { prefix, objects, settings, elsewhere } = this.props;
    return SUPPORT_RESOURCES.map((resource) => {
      const address = supportAddress(supportId(prefix, resource));
      const hook = WITH_HOOK[resource];
      if (!hook) return forgotten(address);
      const snapshot = () => snapshotOf(objects(), settings, () => hook.digest);
      return removedWithHook(address, snapshotHook(program, hook.command, snapshot, elsewhere));
    });
  }

  private ofClusters(): string[] {
    const { prefix, objects } = this.props;
    return objects()
      .filter(({ kind }) => kind === "clusters")
      .flatMap(({ type, name }) => [
        clusterSupportId(prefix, type, "ready", name),
        clusterSupportId(prefix, type, "readiness", name),
      ]);
  }
}

export function forgotten(from: string) {
  return { from, lifecycle: [{ destroy: false }] };
}
