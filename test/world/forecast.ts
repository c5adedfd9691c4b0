import { tmpdir } from "node:os";
import { ClusterList, ProviderList } from "../../src/api/lists";
import { comparison } from "../../src/cli/doctor/compare/comparison";
import type { CheckResult } from "../../src/cli/doctor/check-result";
import type { LiveService } from "../../src/cli/doctor/service";
import { stackOf as judgedStackOf, type Stack } from "../../src/cli/doctor/stack";
import { stateIn } from "../../src/cli/doctor/state";
import { notesIn, type World } from "./hooks";
import type { Computer } from "./kernel";
import { serviceAt, stackOf, type Program } from "./programs";
import type { Service } from "./service";
import { stateDocument } from "./terraform/documents";
import type { State } from "./terraform/state";

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

const stacks = new WeakMap<object, Stack>();

function stackFor(program: Program): Stack {
  const json = stackOf(program);
  let stack = stacks.get(json);
  if (!stack) stacks.set(json, (stack = { ...judgedStackOf(tmpdir(), json), beside: () => [] }));
  return stack;
}

/** What the service has, as true lists show it. */
export function listsOf(service: Service): Pick<LiveService, "clusters" | "providers"> {
  const { clusters, providers } = service.lists();
  return { clusters: new ClusterList("", clusters), providers: new ProviderList("", providers) };
}
