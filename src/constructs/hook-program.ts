import { existsSync } from "node:fs";
import * as path from "node:path";
import { AssetType, Lazy, TerraformAsset, TerraformStack, Tokenization, type IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { ConfigurationError } from "../model/errors";
import { hookInterpreter } from "../contract/hook-interpreter";
import { HOOK_ENV, type HookCommand, type HookSettings } from "../contract/hook-protocol";
import { inertJson } from "./tokens";

/** Folder of the bundled program; the same place seen from the sources and from the published package. */
const BUNDLE = path.resolve(__dirname, "../../dist/hooks");
const ENTRY = "main.js";
/** What plans and logs show: the program is in `assets/cluster-platform-hooks`. */
const ASSET_ID = "cluster-platform-hooks";

/** A local-exec provisioner, as cdktf takes it. */
export interface Hook {
  readonly type: "local-exec";
  readonly interpreter: string[];
  readonly command: HookCommand;
  /** Terraform prints neither the interpreter nor the command. */
  readonly quiet: true;
  readonly environment: Record<string, string>;
  readonly when?: "destroy";
}

/**
 * The program that Terraform runs when an object comes or goes: a few files that travel with the synthesized stack, so
 * that a hook loads what it needs and no more. No shell is involved and nothing is interpolated into a command: all that
 * a hook is told is in its environment.
 */
export class HookProgram {
  private readonly asset: TerraformAsset;
  private readonly settings: Record<string, string>;

  constructor(scope: Construct, settings: HookSettings) {
    if (!existsSync(path.join(BUNDLE, ENTRY))) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        `${scope.node.path}: the program of the hooks is not at ${BUNDLE}; where the code is bundled, leave cdktf-cluster-platform out ` +
          "(esbuild: --packages=external; webpack: externals); in a clone of this package, run `npm run build`",
      );
    }
    this.asset = assetOf(TerraformStack.of(scope));
    this.settings = { [HOOK_ENV.settings]: inertJson(settings) };
  }

  hook(command: HookCommand, environment: Record<string, string> | IResolvable, when?: "destroy"): Hook {
    const full = Tokenization.isResolvable(environment)
      ? Lazy.anyValue({ produce: (context) => ({ ...this.settings, ...context.resolve(environment) }) })
      : { ...this.settings, ...environment };
    return {
      type: "local-exec",
      interpreter: hookInterpreter(`${this.asset.path}/${ENTRY}`),
      command,
      quiet: true,
      environment: full as Record<string, string>,
      ...(when && { when }),
    };
  }
}

const assets = new WeakMap<TerraformStack, TerraformAsset>();

/** One for all Platforms of a stack, and a child of the stack, because cdktf names the folder after the path below it. */
function assetOf(stack: TerraformStack): TerraformAsset {
  const known = assets.get(stack);
  if (known) return known;
  // Another copy of this package in the same program has a program of its own.
  let id = ASSET_ID;
  for (let copy = 2; stack.node.tryFindChild(id); copy++) id = `${ASSET_ID}-${copy}`;
  const asset = new TerraformAsset(stack, id, { path: BUNDLE, type: AssetType.DIRECTORY });
  assets.set(stack, asset);
  return asset;
}
