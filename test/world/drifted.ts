import { ClusterList, ProviderList } from "../../src/api/lists";
import { findDrift, type LiveLists } from "../../src/cli/drift/find-drift";
import type { DriftFinding, Repair } from "../../src/cli/drift/finding";
import { stateObjects } from "../../src/cli/drift/state-objects";
import type { Remedy } from "../../src/lifecycle/remedy";
import { idOf as refId, objectOf } from "../../src/model/object-ref";
import { Draw } from "./draw";
import { randomFrom } from "./kernel";
import type { Play } from "./play";
import { clusterId, isAsDeclared, NAMES, type ObjectName, type Program, PROVIDER, type Variant } from "./programs";
import type { Service } from "./service";
import { editState, write } from "./state-edits";
import type { Step } from "./steps";
import { stateDocument } from "./terraform/documents";
import { parseInstance, type State } from "./terraform/state";

/** Rule 7: if somebody changes one object of a stack, `drift` says so, and any of its repairs repairs it. */
export async function followDrift(play: Play, program: Program): Promise<void> {
  const draw = new Draw(randomFrom(play.seed + 1));
  const names = NAMES.filter((each) => program.clusters[each] !== undefined);
  const name: ObjectName = names.length > 0 ? draw.one(...names) : PROVIDER;
  const id = name === PROVIDER ? `capvs/providers/${name}` : clusterId(name);
  const { backend } = play.workspaces.default;
  const violated = (rule: string, text: string) => play.judges[0]!.violated(`7 ${rule}`, text);
  const before = play.service.live(id);
  // What an exception has left is not the person's doing.
  if (before && !isAsDeclared(program, id, before.object.body)) return;
  if (driftIn(backend.state, play.service).some(({ verdict }) => verdict !== "UNMANAGED")) return;
  const event = draw.one("deletes", "recreates", "recreates on another", "taint");
  play.log.push(`somebody: ${event} ${id}`);
  if (event === "taint") editState(play, { program, state: { act: "taint", name } }, backend);
  else {
    const variant = (((name === PROVIDER ? (program.provider ?? 0) : program.clusters[name]!) + 1) % 2) as Variant;
    const on = event === "recreates on another" && name !== PROVIDER ? { on: "another" } : {};
    play.somebodyElse({ act: event === "deletes" ? "deletes" : "recreates", name, variant, ...on });
  }
  // A registration in use stays.
  if (event !== "taint" && play.service.live(id) === before) return;
  await play.kernel.pass(600_000);
  const found = () => driftIn(backend.state, play.service).find(({ object }) => object === id);
  const finding = found();
  if (!finding) return violated("drift does not see a change", event);
  const ways = finding.repairs.flatMap(
    (repair) => following(repair, finding, program, play.declaringLive(program, objectOf(id))) ?? [],
  );
  if (ways.length === 0) return;
  const { steps, untainted } = draw.one(...ways);
  const counted = `${event}: ${finding.verdict}`;
  play.repairs.set(counted, (play.repairs.get(counted) ?? 0) + 1);
  if (untainted) write(backend, new Map(backend.state).set(untainted, { ...backend.state.get(untainted)!, isTainted: false }));
  for (const step of steps) {
    const outcome = await play.attempt(step);
    if (play.violations.length > 0 || !outcome) return;
    const isOfAnother = outcome.codes.join() === "STILL_LIVE" && !outcome.remedies.some((remedy) => isAbout(remedy, id));
    if (!outcome.ok && isOfAnother) return;
    const isMadeElsewhere = [id, `capvs/providers/${PROVIDER}`].some((each) =>
      play.judges[0]!.isMadeElsewhere(each, play.computers.A.name),
    );
    const isOfOldNote = isMadeElsewhere && ["ADOPT_MISMATCH", "READY_TIMEOUT"].includes(outcome.codes.join());
    if (isOfOldNote) return play.judges[0]!.excuse("another machine");
    if (!outcome.ok) return violated(`a repair of ${finding.verdict} fails with ${outcome.codes.join(" and ")}`, event);
  }
  const rest = found();
  // The stack has let it go.
  if (rest && rest.verdict !== "UNMANAGED")
    return violated(`a repair of ${finding.verdict} repairs nothing`, `${event}: ${rest.verdict}`);
  const { changes, errors } = await play.planned({ program: steps.at(-1)?.program ?? program }, play.workspaces.default);
  if (changes.length + errors.length > 0)
    violated(`the plan after a repair of ${finding.verdict} is not empty`, [...changes, ...errors].join(", "));
}

/** Whether the stack has one Platform on the first service, and the run has the first workspace. */
export function isPlain({ program, workspace, url }: Step): boolean {
  const { carrier = "Platform", platform, beside, url: inCode } = program;
  return carrier === "Platform" && !platform && !beside && !inCode && !workspace && !url;
}

function isAbout(remedy: Remedy, id: string): boolean {
  return "objects" in remedy && remedy.objects.some((object) => refId(object) === id);
}

/** What `drift` says about the objects of a state. */
function driftIn(state: State, service: Service): readonly DriftFinding[] {
  return findDrift(stateObjects(stateDocument(state), "the state of the world", ""), listsOf(service), [], service.url).findings;
}

/** What the service has, as true lists show it. */
function listsOf(service: Service): LiveLists {
  const { clusters, providers } = service.lists();
  return { clusters: new ClusterList("", clusters), providers: new ProviderList("", providers) };
}

/** What a person does who follows a repair: steps of which each is a run, or an edit of the state without a run. */
interface Following {
  readonly steps: readonly Step[];
  readonly untainted?: string;
}

/**
 * Undefined if the repair is to wait, or is for another person.
 * @param declaringLive the program with the live values of the object
 */
function following(repair: Repair, finding: DriftFinding, program: Program, declaringLive: Program): Following | undefined {
  const { object } = finding;
  const { clusters } = program;
  const { name, kind } = objectOf(object);
  const { [name as never]: _, ...others } = clusters;
  const without: Program = { ...program, clusters: others };
  switch (repair.code) {
    case "RECREATE_MISSING":
    case "FINISH":
    case "TAKE_OVER":
    case "REPLACE":
    case "UNTAINT":
      return repair.commands.map((command) => followingCommand(command, program)).reduce(joined);
    case "ACCEPT_LIVE":
      return { steps: [{ program: declaringLive }] };
    case "DECLARE_LIVE":
      return {
        steps: [{ program: { ...declaringLive, adopt: true, retain: [object] } }, { program: declaringLive }],
      };
    case "REMOVE_DECLARATION":
      return kind === "clusters" ? followingCommand(repair.commands[0]!, without) : undefined;
    case "LET_GO":
      return kind === "clusters" ? { steps: [{ program: { ...without, retain: [object] } }, { program: without }] } : undefined;
    // Nobody moves an instance by hand here.
    case "MOVE_BACK":
    case "REMOVE_ENTRY":
    case "REPLACE_ENTRY":
    case "WAIT":
    case "WAIT_UNTIL_GONE":
    case "PUT_IN_STACK":
    case "ADOPT":
    case "IMPORT":
    case "IGNORE":
      return undefined;
  }
}

function joined(one: Following, other: Following): Following {
  return { ...one, ...other, steps: [...one.steps, ...other.steps] };
}

/** A command as `drift` prints it. */
function followingCommand(command: string, program: Program): Following {
  const words = wordsOf(command);
  const variables = Object.fromEntries(words.filter((word) => /^CLUSTER_\w+=/.test(word)).map((word) => split(word)));
  const [terraform, verb, ...rest] = words.slice(Object.keys(variables).length);
  if (terraform !== "terraform") throw new Error(`the world does not know the command ${command}`);
  if (verb === "untaint") return { steps: [], untainted: rest[0]! };
  if (verb !== "apply") throw new Error(`the world does not know the command ${command}`);
  const replace = rest.map((option) => nameAt(/^-replace=(.*)$/.exec(option)![1]!));
  const { CLUSTER_PLATFORM_ADOPT: adopt, CLUSTER_PLATFORM_ACCEPT_GONE: acceptGone } = variables;
  const step: Step = {
    program,
    ...(replace.length > 0 && { replace }),
    ...(adopt !== undefined && { adopt: adopt.split(",") }),
    ...(acceptGone !== undefined && { acceptGone }),
  };
  return { steps: [step] };
}

function nameAt(address: string): ObjectName {
  const { block, key } = parseInstance(address);
  return (key ?? block.slice(block.indexOf(".") + 1)) as ObjectName;
}

function split(word: string): [string, string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}

/** The words of a POSIX shell. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ""));
}
