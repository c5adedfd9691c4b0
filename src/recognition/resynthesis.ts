import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Lazy, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { Engine } from "../constructs/engine";
import { HookResources } from "../constructs/hook-engine/hook-resources";
import { ProviderResources } from "../constructs/provider-engine/provider-resources";
import type { JsonObject } from "../model/provider-type";
import { blocksOf, type ConfigurationBlock } from "./configuration-blocks";
import { platformsIn, type PlatformInputs } from "./platform-inputs";

/**
 * The blocks that this version of the package makes from the settings and objects in a configuration. The blocks of single objects
 * on the package's own provider are left out, because a plan shows all their arguments.
 */
export function resynthesized(configuration: JsonObject, applied?: JsonObject): ConfigurationBlock[] {
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-review-"));
  try {
    const stack = new TerraformStack(new App({ outdir, context: {}, stackTraces: false }), "stack");
    const expression = (template: string) => Lazy.stringValue({ produce: () => template });
    const platforms = platformsIn(configuration, blocksOf(configuration), expression, blocksOf(applied));
    platforms.forEach((platform, index) => make(new Construct(stack, `platform-${index}`), platform));
    return blocksOf(stack.toTerraform());
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function make(scope: Construct, platform: PlatformInputs): void {
  const { prefix, engine, settings, objects, ready } = platform;
  const props = { prefix, settings, objects: () => objects };
  if (engine === Engine.PROVIDER) {
    const resources = new ProviderResources(scope, "resources", props);
    if (objects.length > 0) resources.allReady();
    for (const object of ready) resources.readyResource(object);
    return;
  }
  const resources = new HookResources(scope, "resources", { engine, ...props });
  for (const object of objects) resources.declare(object, scope);
  for (const object of ready) resources.readyResource(object);
}
