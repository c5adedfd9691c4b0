import { existsSync } from "node:fs";
import * as path from "node:path";
import { AssetType, Lazy, TerraformAsset, TerraformStack, type IResolvable, type IResolveContext } from "cdktf";
import type { Construct } from "constructs";
import { ConfigurationError, InvalidPropError } from "../../model/errors";
import { hookInterpreter } from "../../contract/hook-interpreter";
import { CHUNK_CHARACTERS, HOOK_ENV, type HookCommand } from "../../contract/hook-protocol";
import type { PlatformSettings } from "../../contract/platform-settings";
import { HOOK_BUNDLE } from "../synth/package-files";
import { inertJson } from "../synth/tokens";

/** With NODE_DEBUG=child_process, Node would print the environment when the token command starts. */
const SILENT = { NODE_DEBUG: "" };

const ENTRY = "main.js";
/** The bundle is copied to `assets/cluster-platform-hooks` in the stack's folder. */
const ASSET_ID = "cluster-platform-hooks";

/** What a hook may get. On Linux, the environment of a process may have about 2 MiB, and on macOS 1 MiB. */
export const ENVIRONMENT_BYTES = 2 ** 19;

export interface HookProvisioner {
  readonly type: "local-exec";
  readonly interpreter: string[];
  readonly command: HookCommand;
  /** Terraform prints neither the interpreter nor the command. */
  readonly quiet: true;
  readonly environment: Record<string, string>;
  readonly when?: "destroy";
}

/**
 * The program of all hooks. It is copied into the synthesized stack as several files, so that a hook loads only what it needs.
 * Terraform runs it without a shell, and nothing is interpolated into a command: all inputs are in the environment.
 */
export class HookProgram {
  private readonly asset: TerraformAsset;
  private readonly settings: Record<string, string>;
  /** Of the Platform. */
  private readonly path: string;

  constructor(scope: Construct, settings: PlatformSettings) {
    this.path = scope.node.scope!.node.path;
    if (!existsSync(path.join(HOOK_BUNDLE, ENTRY))) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        `${scope.node.path}: the hook program is not at ${HOOK_BUNDLE}; if the code is bundled, leave cdktf-cluster-platform out of the bundle ` +
          "(esbuild: --packages=external; webpack: externals); in a clone of this package, run `npm run build`",
      );
    }
    this.asset = assetOf(TerraformStack.of(scope));
    // The stack may get another Platform later, whose URL is in these settings.
    this.settings = { ...SILENT, [HOOK_ENV.settings]: Lazy.stringValue({ produce: () => inertJson(settings) }) };
  }

  hook(command: HookCommand, environment: Record<string, string> | IResolvable, when?: "destroy"): HookProvisioner {
    const full = (context: IResolveContext) =>
      this.fitting(context.resolve({ ...this.settings, ...context.resolve(environment) }));
    return {
      type: "local-exec",
      interpreter: hookInterpreter(`${this.asset.path}/${ENTRY}`),
      command,
      quiet: true,
      environment: Lazy.anyValue({ produce: full }) as unknown as Record<string, string>,
      ...(when && { when }),
    };
  }

  /** @throws INVALID_PROP for an environment with which the operating system would not start the hook */
  private fitting(environment: Record<string, string>): Record<string, string> {
    const sizes = Object.values(environment).map((text) => Buffer.byteLength(text));
    const all = sizes.reduce((sum, size) => sum + size, 0);
    if (Math.max(...sizes) <= CHUNK_CHARACTERS && all <= ENVIRONMENT_BYTES) return environment;
    const [variable, whole] = [CHUNK_CHARACTERS, ENVIRONMENT_BYTES].map((bytes) => bytes / 1024);
    throw new InvalidPropError(
      this.path,
      `the Platform's lists of names must fit into the environment of a hook, ${variable} KiB for one list and ${whole} KiB for all; ` +
        'write patterns such as "prod-*", spread the objects over several stacks, or use engine: Engine.PROVIDER',
    );
  }
}

const assets = new WeakMap<TerraformStack, TerraformAsset>();

/** One asset for all Platforms of a stack. It is a child of the stack, because cdktf names its folder after its path. */
function assetOf(stack: TerraformStack): TerraformAsset {
  const known = assets.get(stack);
  if (known) return known;
  // Another copy of this package in the same process has its own asset.
  let id = ASSET_ID;
  for (let copy = 2; stack.node.tryFindChild(id); copy++) id = `${ASSET_ID}-${copy}`;
  const asset = new TerraformAsset(stack, id, { path: HOOK_BUNDLE, type: AssetType.DIRECTORY });
  assets.set(stack, asset);
  return asset;
}
