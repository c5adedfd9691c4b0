import type { Remedy } from "../../src/lifecycle/remedy";
import { idOf as refId } from "../../src/model/object-ref";
import { isDecision } from "./decisions";
import { idOf, isOfLab, serviceOf, uidOf } from "./instances";
import type { Play } from "./play";
import { declaredBy, LAB, NAMES, type ObjectName, partOn, type Program, URLS } from "./programs";
import type { Workspace } from "./stage";
import { removeInstance } from "./state-edits";
import type { Step } from "./steps";
import type { Backend, Outcome } from "./terraform/terraform";

/** How many runs a person has to get out of any state, once all faults have ended. */
const RUNS_OUT = 4;

/** After this time, no create that got no answer is carried out any more. */
const NOTHING_IS_LATE_SECONDS = 900;

/**
 * Rule 5: when faults end, following the remedies leads to an empty plan and the declared objects.
 * @returns a step that changes nothing, if it comes so far
 */
export async function converges(play: Play, { program, workspace, url }: Step): Promise<Step | undefined> {
  for (const service of play.services) service.behave();
  play.isFollowing = true;
  const right = (given: string | undefined) => (given === URLS[1] ? URLS[0] : given);
  const calm: Program = {
    ...program,
    allowDeletion: program.isProtected ? [...NAMES] : [],
    retain: [],
    ...(program.url && { url: right(program.url) }),
  };
  const at = play.workspaces[workspace ?? "default"];
  const settings = { ...(workspace && { workspace }), ...(url && { url: right(url) }) };
  // A person has to take them out of the state.
  if (play.elsewhere(at.backend, calm, settings.url ?? URLS[0]).length > 0) return undefined;
  const here = calm.url ?? settings.url ?? URLS[0];
  const moved = [...at.backend.state.values()].filter((each) => (serviceOf(each) ?? here) !== here);
  const names = moved.map(({ attributes }) => attributes.name as ObjectName);
  // The new URL alone.
  if (names.length > 0 && !(await play.attempt({ program: calm, ...settings, target: names }))) return undefined;
  let step: Step = { program: calm, ...settings, wait: NOTHING_IS_LATE_SECONDS };
  const refusals: Outcome[] = [];
  for (let count = 0; count < RUNS_OUT + play.untaintedMissing; count++) {
    if (count === RUNS_OUT) play.judges[0]!.excuse("untainted and missing");
    const outcome = await play.attempt(step);
    if (play.violations.length > 0 || !outcome) return undefined;
    if (!outcome.ok) refusals.push(outcome);
    const plan = outcome.ok ? await play.planned(step, at) : undefined;
    const next = nextStep(play, plan ? plan.advice : outcome.remedies, step, at.backend);
    if (plan && next === undefined) {
      hasConverged(play, step, at, outcome, plan);
      return { program: step.program, ...settings };
    }
    const following = next ?? { program: step.program };
    step = { ...following, program: corrected(play, following.program, outcome, at.backend), ...settings };
  }
  const remedies = refusals.flatMap((refusal) => refusal.remedies);
  // The code allows all deletions already.
  const isPersons = remedies.some(isDecision) && !remedies.some(({ code }) => code === "ALLOW_DELETION");
  if (!isPersons) {
    const codes = refusals.flatMap((refusal) => refusal.codes).join(", ");
    play.judges[0]!.violated("5 remedies do not lead to the declared state", `${codes}\n${play.log.at(-1)}`);
  }
  return undefined;
}

/** What the words of a refusal say about the code. */
function corrected(play: Play, program: Program, { codes, errors }: Outcome, { state }: Backend): Program {
  if (errors.some((error) => error.includes("Set engine: Engine.TERRAFORM_DATA")))
    return { ...program, engine: "terraform_data" };
  if (!["PROTECTED", "TERRAFORM"].some((code) => codes.includes(code))) return program;
  const { carrier = "Platform", platform, beside } = program;
  if (carrier === "Platform" && beside)
    return {
      ...program,
      retain: declaredBy(program).filter((id) => [...state.values()].some((each) => idOf(each) === id)),
    };
  const first = [...state.values()].find(({ block }) => isOfLab(block) !== (platform === LAB));
  if (carrier === "Platform" && !first) return program;
  const url = first && URLS[play.homes.get(uidOf(first))!];
  if (url === URLS[1]) return { ...program, carrier: "Platform", beside: { clusters: {}, url } };
  return { ...program, carrier: "Platform", ...(first && { platform: isOfLab(first.block) ? LAB : undefined }) };
}

function hasConverged(
  play: Play,
  { program, url }: Step,
  { name }: Workspace,
  last: Outcome,
  { changes, errors }: Outcome,
): void {
  for (const [index, judge] of play.judges.entries()) {
    judge.converged(partOn(program, index, url ?? URLS[0]), last, { isRemote: play.setup.isRemote, workspace: name });
  }
  if (changes.length + errors.length > 0) play.judges[0]!.violated("5 the plan is not empty", [...changes, ...errors].join(", "));
}

/** The next step of a person who follows remedies. Undefined if none of them says more than to apply again. */
function nextStep(
  play: Play,
  remedies: readonly Remedy[],
  { program, acceptGone, replace: replaced = [] }: Step,
  backend: Backend,
): Step | undefined {
  const [adopt, gone, replace] = [new Set<string>(), new Set<string>(), new Set<ObjectName>()];
  let [code, wait] = [program, 0];
  for (const remedy of remedies) {
    const objects = "objects" in remedy ? remedy.objects : [];
    const [ids, names] = [objects.map(refId), objects.map(({ name }) => name as ObjectName)];
    switch (remedy.code) {
      case "APPLY":
        // The longest time that a message names is an hour, and it is over before the last run.
        wait = 1_200;
        break;
      case "ADOPT":
      case "ADOPT_AND_REMOVE":
        ids.forEach((id) => adopt.add(id));
        break;
      case "ACCEPT_GONE":
        ids.forEach((id) => gone.add(id));
        // The same command again, with the variable.
        replaced.forEach((name) => replace.add(name));
        break;
      case "RECREATE_MISSING":
        // With the provider, a plan sees what is missing.
        if (remedy.all || program.engine !== "provider")
          [...ids, ...(remedy.removed ?? []).map(refId)].forEach((id) => gone.add(id));
        if (program.engine !== "provider") names.forEach((name) => replace.add(name));
        break;
      case "REPLACE":
        names.forEach((name) => replace.add(name));
        break;
      case "REMOVE_INSTANCE":
        removeInstance(backend, remedy.address);
        // The same command again.
        acceptGone?.split(",").forEach((id) => gone.add(id));
        replaced.forEach((name) => replace.add(name));
        break;
      case "DECLARE_LIVE":
        code = objects.reduce((before, object) => play.declaringLive(before, object), code);
    }
  }
  // It is one or the other.
  if (replace.size > 0) code = program;
  const step = {
    program: code,
    ...(wait > 0 && { wait }),
    ...(adopt.size > 0 && { adopt: [...adopt] }),
    ...(gone.size > 0 && { acceptGone: [...gone].join(",") }),
    ...(replace.size > 0 && { replace: [...replace] }),
  };
  return Object.keys(step).length > 1 || code !== program ? step : undefined;
}
