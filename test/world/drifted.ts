import { ClusterList, ProviderList } from "../../src/api/lists";
import { findDrift, type LiveLists } from "../../src/cli/drift/find-drift";
import type { DriftFinding, Repair } from "../../src/cli/drift/finding";
import { stateObjects } from "../../src/cli/drift/state-objects";
import { objectOf } from "../../src/model/object-ref";
import type { ObjectName, Program } from "./programs";
import type { Service } from "./service";
import type { Step } from "./steps";
import { stateDocument } from "./terraform/documents";
import { parseInstance, type State } from "./terraform/state";

/** What `drift` says about the objects of a state. */
export function driftIn(state: State, service: Service): readonly DriftFinding[] {
  return findDrift(stateObjects(stateDocument(state), "the state of the world", ""), listsOf(service), [], service.url).findings;
}

/** What the service has, as true lists show it. */
function listsOf(service: Service): LiveLists {
  const { clusters, providers } = service.lists();
  return { clusters: new ClusterList("", clusters), providers: new ProviderList("", providers) };
}

/** What a person does who follows a repair: steps of which each is a run, or an edit of the state without a run. */
export interface Following {
  readonly steps: readonly Step[];
  readonly untainted?: string;
}

/**
 * Undefined if the repair is to wait, or is for another person.
 * @param declaringLive the program with the live values of the object
 */
export function following(
  repair: Repair,
  finding: DriftFinding,
  program: Program,
  declaringLive: Program,
): Following | undefined {
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
    case "REPLACE_PROTECTED":
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
    case "FORGET":
      return kind === "clusters" ? { steps: [{ program: { ...without, retain: [object] } }, { program: without }] } : undefined;
    // Nobody moves an instance by hand here.
    case "MOVE_BACK":
    case "REMOVE_ENTRY":
    case "REPLACE_ENTRY":
    case "WAIT":
    case "WAIT_UNTIL_GONE":
    case "NAME_STACK":
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
