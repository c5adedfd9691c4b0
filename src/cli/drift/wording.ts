import { counted, joined, listed, phrase, plain, tallied, type Phrase } from "../report/phrase";
import { bounded } from "../../util/printable";
import type { Drift, DriftFinding, DriftReport, FieldDifference, Repair } from "./finding";

const VALUE_CHARACTERS = 200;

/** The end of a sentence that begins with the object. */
export function describeDrift(finding: DriftFinding): Phrase {
  const { drift, engine, differences, provider, phase, conditions } = finding;
  switch (drift) {
    case "MISSING":
      return phrase`declared, but not on the service`;
    case "LEAVING":
      return phrase`the service is deleting it: its phase is ${phase!}`;
    case "CHANGED":
      return joined(differences.map(differing), "; ");
    case "UNFINISHED":
      if (engine === "provider") return phrase`is on the service, but tainted: the next apply would replace it`;
      return differences.length > 0
        ? phrase`is on the service, but its create did not finish (tainted), and it differs: ${joined(differences.map(differing), "; ")}`
        : phrase`is on the service as declared, but its create did not finish (tainted)`;
    case "NOT-READY": {
      const open = conditions.map(({ type, status }) => `${type}=${status}`);
      const state = phase === "" ? phrase`it has no phase yet` : phrase`its phase is ${phase!}`;
      return open.length > 0 ? phrase`${state}, ${listed(open, 5)}` : state;
    }
    case "UNMANAGED":
      return provider
        ? phrase`is on provider ${provider}, and no given state declares it`
        : phrase`is on the service, and no given state declares it`;
  }
}

function differing({ field, declared, live }: FieldDifference): Phrase {
  if (declared === null || live === null) return phrase`${field} differs (hidden)`;
  return phrase`${field} is ${bounded(live, VALUE_CHARACTERS)}, declared is ${bounded(declared, VALUE_CHARACTERS)}`;
}

/** The commands of the repair follow this text. */
export function repairPhrase({ code, commands }: Repair, { object, repairs }: DriftFinding): Phrase {
  switch (code) {
    case "RECREATE_MISSING":
      return phrase`create it again`;
    case "REMOVE_DECLARATION":
      return phrase`or, if you no longer need it, remove it from the code and apply`;
    case "FINISH":
      return phrase`its create did not finish; the next apply creates it`;
    case "DECLARE_LIVE":
      return phrase`declare the live values, with adopt: true on the object and ${object} in the Platform's retain, apply, and remove both again; no object is changed`;
    case "REPLACE":
      return phrase`or replace it, which deletes everything on it`;
    case "REPLACE_PROTECTED":
      return phrase`or replace it, which deletes everything on it; it is protected, so list ${object} in the Platform's allowDeletion first`;
    case "LET_GO":
      return phrase`another object has its name: list ${object} in the Platform's retain, remove it from the code and apply; nothing is sent for the other object`;
    case "TAKE_OVER":
      return phrase`if it belongs to this stack, adopt it`;
    case "TAKE_OVER_LIVE":
      return phrase`if it belongs to this stack, declare the live values, synthesize, and adopt it`;
    case "WAIT":
      return phrase`wait until it is ready; nothing is created again`;
    case "WAIT_UNTIL_GONE":
      return phrase`wait until cluster-platform get clusters does not show it any more, and run drift again, which says how to create it again`;
    case "PUT_IN_STACK":
      return phrase`or, if the code has waitForReady: false for it, put the JSON of the state into the folder of its stack; then it is no drift`;
    case "ADOPT":
      return phrase`declare it in a stack and adopt it`;
    case "ACCEPT_LIVE":
      return phrase`declare the live values, and apply; nothing is sent`;
    case "FORGET":
      return phrase`another object has its name: remove it from the code, with a removed block that says destroy = false or with ${object} in the Platform's retain, and apply; nothing is sent for the other object`;
    case "UNTAINT":
      return phrase`to keep it, remove the mark`;
    case "REPLACE_ENTRY":
      return phrase`the state has it without a declaration, as after terraform import, which hooks cannot use: remove the entry, declare the object, and adopt it`;
    case "IMPORT":
      return phrase`or declare it in a stack with Engine.PROVIDER and import it, by an import block or by this command`;
    case "MOVE_BACK":
      if (commands.length === 0) return phrase`the key of its instance is not its name: the commands above move it back, too`;
      return phrase`the key of its instance is not its name, so the next apply removes the object: move the instance back, and run drift again`;
    case "REMOVE_ENTRY":
      return phrase`the state has it at its own address, too, so the next apply fails: remove this entry, which does not touch the service`;
    case "IGNORE":
      return repairs.length > 1 ? phrase`or exclude it with --ignore ${object}` : phrase`exclude it with --ignore ${object}`;
  }
}

const NAMED: Readonly<Record<Drift, string>> = {
  MISSING: "missing",
  LEAVING: "being deleted",
  CHANGED: "changed",
  UNFINISHED: "unfinished",
  "NOT-READY": "not ready",
  UNMANAGED: "unmanaged",
};

/** `1 cluster missing, 2 providers unmanaged`, the worst kind first. */
export function summary({ findings, declared }: DriftReport): string {
  if (findings.length === 0) return `No drift in what the service shows: ${counted(declared, "object")} as declared`;
  return `Drift: ${tallied(findings.map(({ kind, drift }) => ({ kind, what: NAMED[drift] }))).join(", ")}`;
}

export function twicePhrase({ object, states, command }: DriftReport["declaredTwice"][number]): Phrase {
  if (command !== undefined)
    return phrase`${object} is in ${states[0]!} twice, so the next apply fails. Remove the entry under another key, which does not touch the service: ${command}`;
  return phrase`${object} is declared in ${listed(states)}: removing it from any of them deletes it`;
}

/** About empty states, the lists, the service as a whole, each service that the states name instead of this one, the clusters that are not waited for, and what others have. */
export function notePhrases(report: DriftReport): Phrase[] {
  const unread = report.unread.map((note) => phrase`${note}`);
  return [
    ...emptyPhrases(report),
    ...unread,
    ...noneLivesPhrases(report),
    ...elsewherePhrases(report),
    ...notWaitedForPhrases(report),
    ...unmanagedPhrases(report),
  ];
}

function emptyPhrases({ empty }: DriftReport): Phrase[] {
  return empty.map((state) => phrase`${state} has no resources: is it from the folder and the workspace of the stack?`);
}

/** A wrong URL is more likely than the loss of everything. */
function noneLivesPhrases({ declared, findings }: DriftReport): Phrase[] {
  const missing = findings.filter(({ drift }) => drift === "MISSING");
  if (declared === 0 || missing.length < declared) return [];
  const subject = declared === 1 ? "the only declared object is not" : `none of the ${declared} declared objects is`;
  return [
    phrase`${plain(subject)} on the service: is CLUSTER_PLATFORM_URL the right one? If it is not, run none of these commands`,
  ];
}

function elsewherePhrases({ elsewhere }: DriftReport): Phrase[] {
  const services = [...new Set(elsewhere.map(({ service }) => service))];
  return services.map((url) => {
    const objects = elsewhere.filter(({ service }) => service === url).map(({ object }) => object);
    return phrase`not compared, because the state names another service, ${url}: ${listed(objects, 5)}`;
  });
}

/** In one line, because others may have hundreds of objects on the service. */
function unmanagedPhrases({ unmanaged }: DriftReport): Phrase[] {
  if (unmanaged.length === 0) return [];
  return [phrase`in none of the given states: ${listed(unmanaged, 5)}`];
}

function notWaitedForPhrases({ notWaitedFor }: DriftReport): Phrase[] {
  const clusters = notWaitedFor.map(({ object, phase }) => `${object} (${phase === "" ? "no phase yet" : phase})`);
  if (clusters.length === 0) return [];
  return [phrase`not ready, and not waited for (waitForReady: false): ${listed(clusters, 5)}`];
}

export function recreateAllPhrase(state: string): Phrase {
  return phrase`${plain("create all missing objects again, from ")}${state}`;
}
