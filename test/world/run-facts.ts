import {
  blockAddress,
  platformPrefix,
  PLUGIN_READY_TYPE,
  pluginReadyId,
  supportAddress,
  supportId,
  type SupportResource,
} from "../../src/contract/addresses";
import { snapshotIn } from "../../src/cli/report/recorded";
import { idInChange, idOf, isLeaving, serviceOf, uidOf, urlOfPlatform } from "./instances";
import type { Judged } from "./judge";
import type { Computer } from "./kernel";
import { addressOf, configurationFor, declaredBy, LAB, partOn, platformOf, serviceAt } from "./programs";
import { environmentOf, type Stage, type Workspace } from "./stage";
import type { Step } from "./steps";
import { parseInstance } from "./terraform/state";
import type { Terraform } from "./terraform/terraform";

/** What the judge of each service knows of a run before it begins. */
export function judgedOf(
  stage: Stage,
  run: Terraform,
  step: Step,
  meant: Step,
  { name, backend }: Workspace,
  computer: Computer,
): readonly Judged[] {
  const { program } = meant;
  const stateBefore = backend.state;
  const url = environmentOf(meant).CLUSTER_PLATFORM_URL!;
  const { blocks, removed } = configurationFor(program);
  const startedAt = stage.kernel.now;
  const elsewhere = stage.elsewhere(backend, program, url);
  const isApply = isApplying(step);
  const isProvider = program.engine === "provider";
  const isDestroy = meant.operation === "destroy";
  // Terraform plans what is declared before it destroys, but not for an empty state.
  const plansDeclared = stateBefore.size > 0 && !meant.withoutRefresh;
  const has = (support: string) => [...stateBefore].some(([address, { isTainted }]) => !isTainted && address.endsWith(support));
  // A `moved` block gives an instance another address before it is planned.
  const isPlanned = (id: string) =>
    isLeaving(run.planned, id) || run.changes.some((change) => /^(delete|replace) /.test(change) && idInChange(change) === id);
  const own = (which: SupportResource) => supportAddress(supportId(platformPrefix(program.platform), which));
  const hasOwn = (which: SupportResource) => stateBefore.get(own(which))?.isTainted === false;
  // `protection` has the objects of the last complete apply, and the code.
  const isKnown = (id: string) =>
    declaredBy(program).includes(id) || id in (snapshotIn(stateBefore.get(own("protection"))?.attributes)?.objects ?? {});
  const hadGuardOfDestroy = () =>
    hasOwn("protection") && [...stateBefore.values()].every((each) => idOf(each) === undefined || isKnown(idOf(each)!));
  const looksWith = (ready: string) => isProvider && has(ready) && blocks.has(ready) && !meant.withoutRefresh && !meant.target;
  const urls = [program.url ?? url, ...(program.beside ? [program.beside.url] : [])];
  const lookalikes = isProvider
    ? // The state names the service, because somebody has applied its URL.
      elsewhere.filter(({ id, service: at }) =>
        [...stateBefore.values()].some((each) => idOf(each) === id && serviceAt(serviceOf(each)) === at),
      )
    : elsewhere;
  const applied = [...stateBefore.values()].flatMap((each) => declaredBy(stage.programs.get(uidOf(each)) ?? program));
  return stage.services.map((service, index) => ({
    step: meant,
    program: partOn(program, index, url),
    isApply,
    isSaved: step.operation === "apply the plan",
    workspace: name,
    number: run.actor.run!,
    computer: computer.name,
    startedAt,
    before: new Map([...stage.stored(backend, index)].map(([id, stored]) => [id, { ...stored, life: service.live(id) }])),
    instances: new Set([...stateBefore.values()].map(uidOf)),
    isTainted: (id) => [...stateBefore.values()].some((each) => each.isTainted && idOf(each) === id),
    elsewhere: elsewhere.map(({ id }) => id),
    // Hooks take an object that the code declares or has declared for the one in the state.
    looksAlike: () =>
      lookalikes.some(({ id, service: at }) =>
        [id, ...declaredBy(program), ...applied].some((each) => stage.services[at]!.hasLived(each, startedAt)),
      ),
    keepsHook: (block) => blocks.has(block) || removed.has(block),
    blockOf: (id) => parseInstance(addressOf(program.engine, platformOf(program, id), id)).block,
    isHere: serviceAt(program.url ?? url) === index || serviceAt(program.beside?.url) === index,
    urls,
    isOfHere: (line) => serviceAt(urlOfPlatform(program, line.split(": ")[0]!.includes(`${LAB}_`) ? LAB : "") ?? url) === index,
    isPlanned: (id) => isApply && isPlanned(id),
    files: computer.files,
    isFollowing: stage.isFollowing,
    // Known after the run.
    get hadOrphanCheck() {
      if (!isProvider) return has("orphan_check") && (!isDestroy || has("orphan_check_on_destroy"));
      const looksBeforeDeletion = () => plansDeclared && run.changes.length > 0;
      return has("ready.ready") || (blocks.has("clusterplatform_ready.ready") && (!isDestroy || looksBeforeDeletion()));
    },
    readyOf: (id) => blockAddress(PLUGIN_READY_TYPE, pluginReadyId(platformPrefix(platformOf(program, id)))),
    looksWith,
    hadGuard: isProvider || (isDestroy ? hadGuardOfDestroy() : hasOwn("ready")),
    isRemote: backend.isRemote,
  }));
}

/** Not a plan or an import. */
export function isApplying({ import: imported, operation }: Step): boolean {
  return !imported && operation !== "plan" && operation !== "plan a destroy";
}
