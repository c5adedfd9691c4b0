import { tmpdir } from "node:os";
import { ClusterList, ProviderList } from "../../src/api/lists";
import { comparison } from "../../src/cli/doctor/compare/comparison";
import type { CheckResult } from "../../src/cli/doctor/check-result";
import type { LiveService } from "../../src/cli/doctor/service";
import { stackOf, type Stack } from "../../src/cli/doctor/stack";
import { stateIn } from "../../src/cli/doctor/state";
import type { JsonObject } from "../../src/model/provider-type";
import { notesIn, type World } from "./hooks";
import type { Computer } from "./kernel";
import { serviceAt, synthesized, type Program } from "./programs";
import type { Service } from "./service";
import { addressIn, typeOfBlock, type State } from "./terraform/state";

/** What `doctor` says before an apply, and what its worst finding promises. */
export interface Forecast {
  readonly verdict: CheckResult["verdict"];
  readonly findings: readonly CheckResult[];
}

/**
 * What `doctor` says about the state and the service. Its other checks are about the machine.
 * @param env of the run
 */
export function forecast(
  { kernel }: Pick<World, "kernel">,
  program: Program,
  state: State,
  services: readonly Service[],
  computer: Computer,
  env: Readonly<Record<string, string>>,
  workspace: string,
): Forecast {
  const stack = stackFor(program);
  const live = new Map(
    stack.platforms.map(({ settings: { connection } }) => {
      const { url = env.CLUSTER_PLATFORM_URL! } = connection;
      return [JSON.stringify(connection), { url, ...listsOf(services[serviceAt(url)!]!) } satisfies LiveService];
    }),
  );
  const site = { clock: kernel.clockOf(computer), notes: notesIn(computer) };
  const shown = stateIn(stateDocument(state), "the state of the world", "");
  const findings = [...comparison(stack, shown, live, { ...env, TF_WORKSPACE: workspace }, site)];
  const has = (verdict: CheckResult["verdict"]) => findings.some((finding) => finding.verdict === verdict);
  return { verdict: has("wrong") ? "wrong" : has("doubtful") ? "doubtful" : "good", findings };
}

const stacks = new Map<string, Stack>();
const MOST_STACKS = 2_000;

/** Time limits change nothing in what `doctor` says about the state. */
function stackFor({ createSeconds: _, deleteSeconds: __, pollSeconds: ___, ...program }: Program): Stack {
  if (stacks.size >= MOST_STACKS) stacks.clear();
  const key = JSON.stringify(program);
  let stack = stacks.get(key);
  if (!stack) stacks.set(key, (stack = { ...stackOf(tmpdir(), synthesized(program)), beside: () => [] }));
  return stack;
}

/** What the service has, as true lists show it. */
export function listsOf(service: Service): Pick<LiveService, "clusters" | "providers"> {
  const { clusters, providers } = service.lists();
  return { clusters: new ClusterList("", clusters), providers: new ProviderList("", providers) };
}

/** A state as `terraform show -json` prints it. */
export function stateDocument(state: State): JsonObject {
  const resources = [...state.values()].map((instance) => {
    const { block, key, deposed, attributes, isTainted, schemaVersion } = instance;
    const type = typeOfBlock(block);
    return {
      address: addressIn({ block, key }),
      mode: "managed",
      type,
      name: block.slice(type.length + 1),
      ...(key !== undefined && { index: key }),
      ...(deposed !== undefined && { deposed_key: deposed }),
      ...(isTainted && { tainted: true }),
      provider_name: PROVIDERS[type] ?? "cluster-platform/cluster-platform",
      schema_version: schemaVersion,
      values: attributes,
      sensitive_values: {},
    };
  });
  return {
    format_version: "1.0",
    terraform_version: "1.11.0",
    ...(resources.length > 0 && { values: { root_module: { resources } } }),
  };
}

const PROVIDERS: Readonly<Record<string, string>> = {
  null_resource: "registry.terraform.io/hashicorp/null",
  terraform_data: "terraform.io/builtin/terraform",
};
