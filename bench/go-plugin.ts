import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goProgram, hasGo } from "../scripts/go.mjs";
import { PLUGIN_READY_TYPE } from "../src/contract/addresses";
import { LOCK_FILE } from "../src/contract/plugin-package";
import { provider } from "../src/plugin/resources/provider";
import type { Call } from "./service";
import type { Stack } from "./stack";
import { packageOf } from "./plugin";

const GENERIC_TYPE = "clusterplatform_object";
const SOURCES = join(__dirname, "programs/go-plugin");

export const NO_GO = "NOT MEASURED: the yardstick is a plugin in Go, and there is no `go` on the PATH (https://go.dev/dl)";

/** The plugin in programs/go-plugin, built once per machine. Undefined without Go. */
export async function goPlugin(): Promise<string | undefined> {
  return hasGo() ? goProgram("benchmark-plugin", SOURCES, ["build"]) : undefined;
}

/**
 * A copy of a stack, in which the plugin in Go takes the place of the package's provider.
 *
 * @param calls the calls of an apply of the stack. The plugin sends the same bodies.
 */
export async function withGoPlugin(stack: Stack, binary: string, calls: readonly Call[] = []): Promise<Stack> {
  const copy = stack.copy();
  // The plugin takes its settings from the environment, and its provider block has no arguments.
  copy.write({ ...copy.read(), provider: { clusterplatform: [{}] } });
  const { folder, launcher } = packageOf(copy);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  copyFileSync(binary, launcher);
  const schemas = Object.entries(provider().resources).map(([type, { attributes }]) => [type, attributes]);
  const bodies = calls.flatMap(({ path, body }) => (body === undefined ? [] : [[`${path} ${nameIn(body)}`, body]]));
  writeFileSync(join(folder, "schemas.json"), JSON.stringify(Object.fromEntries(schemas)));
  writeFileSync(join(folder, "bodies.json"), JSON.stringify(Object.fromEntries(bodies)));
  rmSync(join(copy.folder, LOCK_FILE));
  return copy.init();
}

/**
 * A copy of a stack, in which the plugin in Go has each object as a path and one JSON text, as users of a provider for any REST API do.
 *
 * @param calls the calls of an apply of the stack. The plugin sends the same bodies.
 */
export async function withGenericGoPlugin(stack: Stack, binary: string, calls: readonly Call[]): Promise<Stack> {
  const copy = await withGoPlugin(stack, binary);
  const objects = calls.flatMap(({ path, body }) =>
    body === undefined ? [] : [{ ...kindAt(path), path, body, name: nameIn(body) }],
  );
  const keyOf = ({ type, kind, name }: (typeof objects)[number]) => `${type}_${kind}_${name}`;
  const blocks = objects.map((object) => {
    const providers = objects.filter(({ type, kind }) => type === object.type && kind === "providers");
    // Terraform's templates begin with these characters.
    const body = JSON.stringify(object.body).replace(/[$%](?=\{)/g, "$&$&");
    const depends_on = object.kind === "clusters" ? providers.map((provider) => `${GENERIC_TYPE}.${keyOf(provider)}`) : [];
    return [keyOf(object), { path: object.path, body, depends_on }] as const;
  });
  const references = objects.map((object) => [
    `${object.type}/${object.kind}/${object.name}`,
    `\${${GENERIC_TYPE}.${keyOf(object)}.id}`,
  ]);
  const clusters = objects.filter(({ kind }) => kind === "clusters").map(({ type, name }) => `${type}/clusters/${name}`);
  const ready = { objects: Object.fromEntries(references) as object, wait_for: clusters };
  const resource = { [GENERIC_TYPE]: Object.fromEntries(blocks), [PLUGIN_READY_TYPE]: { ready } };
  copy.write({ ...copy.read(), resource });
  return copy;
}

function kindAt(path: string): { readonly type: string; readonly kind: "clusters" | "providers" } {
  const [type, parent] = path.split("/").reverse();
  return { type: type!, kind: parent === "clusters" ? "clusters" : "providers" };
}

/** The name in a request body, for all provider types. */
export function nameIn({ cluster, identityName, name }: Readonly<Record<string, unknown>>): string {
  return String((cluster as { clusterName: string } | undefined)?.clusterName ?? identityName ?? name);
}
