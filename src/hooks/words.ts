import { blockAddress, blockId, blockOfKind, instanceAddress, platformPrefix } from "../contract/addresses";
import { HOOK_ENV } from "../contract/hook-protocol";
import type { PlatformSettings } from "../contract/platform-settings";
import { acceptingGone, applyReplacing, commonWords, it, NAMED, retainingOn, type Words } from "../lifecycle/remedy-words";
import type { ObjectRef } from "../model/object-ref";
import { readAfter, readBlock, readExpected } from "./environment";

/**
 * @param env the variables of the hook, which tell the addresses of blocks
 * @param known ids of all objects of the Platform, if the hook knows them
 */
export function hookWords(settings: PlatformSettings, env: NodeJS.ProcessEnv, known?: readonly string[]): Words {
  const of = { settings, platform: settings.platform, known };
  const replacing = (objects: readonly ObjectRef[]) =>
    applyReplacing(objects.map((object) => instanceAddress(blockOf(object, settings, env), object.name)));
  return {
    ...commonWords({ ...of, replacing }),
    RECREATE_MISSING: ({ objects, all, removed = [] }) => {
      const again = all ? `Really gone: create ${it(objects)} again with ` : `Create ${it(objects)} again: `;
      const gone = acceptingGone([...objects, ...removed]);
      if (all && objects.length > NAMED) {
        const blocks = [...new Set(objects.map((object) => `'${blockOf(object, settings, env)}'`))];
        return `${again}terraform state rm ${blocks.join(" ")}, and then ${gone} terraform apply`;
      }
      return `${again}${gone} ${replacing(objects)}`;
    },
    // Terraform deletes a tainted instance without a destroy hook, and the orphan check then finds the other object.
    RENAME: ({ objects }) => `Not yours: choose another name, and write ${retainingOn(of, objects)} for that apply`,
  };
}

/** The address of an object's block in Terraform, as in `null_resource.capvs_clusters`. */
function blockOf({ type, kind }: ObjectRef, { platform }: PlatformSettings, env: NodeJS.ProcessEnv): string {
  if (env[HOOK_ENV.block] !== undefined) return blockOfKind(readBlock(env).address, kind);
  const engine = readAfter(env)?.engine;
  if (engine !== undefined) return blockAddress(engine, blockId(platformPrefix(platform), type, kind));
  return readExpected(env).find((block) => block.type === type && block.kind === kind)!.address;
}
