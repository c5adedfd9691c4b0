import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "cdktf-cluster-platform";
import { PROVIDER_ATTRIBUTES } from "../../src/contract/provider-settings";
import { GRPCControllerDefinition } from "../../src/plugin/protocol/generated/go_plugin";
import { ProviderDefinition } from "../../src/plugin/protocol/generated/tfplugin6.9";
import { encode } from "../../src/plugin/values/codec";
import { typeOf } from "../../src/terraform/attributes";
import { PluginProcess } from "../../test/plugin/tiny-plugin";
import { fleet } from "../fleet";
import { goPlugin, NO_GO, withGoPlugin } from "../go-plugin";
import { packageOf } from "../plugin";
import { measured, median } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";

const { fullName, methods } = ProviderDefinition;

/** Terraform starts three such processes for a plan. */
export const pluginStart = ({ coldStart: { rounds } }: Sizes): Row => ({
  name: "cold start of a provider process until it has its schema sent and is configured, over a plugin in Go",
  goal: "stated",
  async measure() {
    const stack = await fleet(7, { engine: Engine.PROVIDER });
    const binary = await goPlugin();
    const go = binary === undefined ? undefined : await withGoPlugin(stack, binary);
    const settings = encode(typeOf(PROVIDER_ATTRIBUTES), {});
    const nothing = encode(["object", {}], {});
    try {
      const [own, inGo]: [number[], number[]] = [[], []];
      for (let round = 0; round <= rounds; round++) {
        const ours = await start(packageOf(stack).launcher, settings);
        const other = go && (await start(packageOf(go).launcher, nothing));
        // The first round warms up the page cache.
        if (round === 0) continue;
        own.push(ours);
        if (other !== undefined) inGo.push(other);
      }
      const [node] = await measured(rounds, { command: process.execPath, args: ["-e", "0"] });
      const ours = `${median(own).toFixed(0)} ms`;
      const ofNode = `node -e 0 alone takes ${node.milliseconds.toFixed(0)} ms`;
      if (!go) return { ratio: null, details: [NO_GO, `${ours}; ${ofNode}`] };
      return {
        ratio: median(own) / median(inGo),
        details: [`${ours} over ${median(inGo).toFixed(0)} ms, medians of ${rounds}; ${ofNode}`],
      };
    } finally {
      stack.remove();
      go?.remove();
    }
  },
});

/** Milliseconds from the start of a plugin until it has answered GetProviderSchema and ConfigureProvider. */
async function start(launcher: string, config: ReturnType<typeof encode>): Promise<number> {
  const sockets = mkdtempSync(join(tmpdir(), "cluster-platform-bench-"));
  const env = {
    CLUSTER_PLATFORM_URL: "https://platform.example.com",
    CLUSTER_PLATFORM_TOKEN: "token",
    PLUGIN_UNIX_SOCKET_DIR: sockets,
  };
  const began = performance.now();
  const plugin = PluginProcess.launch(launcher, env);
  try {
    const connection = await plugin.connect();
    const schema = await connection.call(fullName, methods.getProviderSchema, {});
    const configured = await connection.call(fullName, methods.configureProvider, { config, terraformVersion: "1.11.4" });
    const took = performance.now() - began;
    for (const { response } of [schema, configured]) {
      if (response === undefined || response.diagnostics?.length) throw new Error(JSON.stringify(response));
    }
    await connection
      .call(GRPCControllerDefinition.fullName, GRPCControllerDefinition.methods.shutdown, {})
      .catch(() => undefined);
    connection.close();
    await plugin.exited;
    return took;
  } finally {
    plugin.kill();
    rmSync(sockets, { recursive: true, force: true });
  }
}
