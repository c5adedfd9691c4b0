import { changePhrase } from "../report/changes";
import { counted, joined, listed, phrase, plain, tallied, type Phrase } from "../report/phrase";
import type { Drift, DriftFinding, DriftNote, DriftReport, Repair } from "./finding";

/** What a finding is about. A changed field has its declared and its live value. */
export function whyPhrase({ verdict, engine, changes, provider, phase, conditions }: DriftFinding): Phrase {
  const differing = joined(changes.map(changePhrase), ", ");
  switch (verdict) {
    case "MISSING":
      return plain("declared, but not on the service");
    case "LEAVING":
      return phrase`the service is deleting it: its phase is ${phase!}`;
    case "CHANGED":
      return phrase`declared → live: ${differing}`;
    case "UNFINISHED": {
      const live =
        changes.length > 0 ? phrase`tainted; declared → live: ${differing}` : plain("tainted, but on the service as declared");
      return engine === "provider" ? phrase`${live}; the next apply would replace it` : live;
    }
    case "NOT-READY": {
      const open = conditions.map(({ type, status }) => `${type}=${status}`);
      const state = phase === "" ? plain("it has no phase yet") : phrase`its phase is ${phase!}`;
      return open.length > 0 ? phrase`${state}, ${listed(open, 5)}` : state;
    }
    case "UNMANAGED":
      return provider ? phrase`no given state declares it; on provider ${provider}` : plain("no given state declares it");
  }
}

/** The commands of the repair follow this text. */
export function repairPhrase({ code, commands, allow }: Repair, { object, repairs }: DriftFinding): Phrase {
  switch (code) {
    case "RECREATE_MISSING":
      return plain("create it again");
    case "REMOVE_DECLARATION":
      return plain("or, if you no longer need it, remove it from the code and apply");
    case "FINISH":
      return plain("its create did not finish; the next apply creates it");
    case "DECLARE_LIVE":
      return phrase`declare the live values, with adopt: true on the object and ${object} in the Platform's retain, apply, and remove both again; no object is changed`;
    case "REPLACE": {
      const first =
        allow === undefined ? plain("") : phrase`; it is protected, so list ${allow} in the Platform's allowDeletion first`;
      return phrase`or replace it, which deletes everything on it${first}`;
    }
    case "LET_GO":
      return phrase`another object has its name: list ${object} in the Platform's retain, remove it from the code and apply; nothing is sent for the other object`;
    case "TAKE_OVER":
      return plain("if it belongs to this stack, declare it as it lives, and adopt it");
    case "WAIT":
      return plain("wait until it is ready; nothing is created again");
    case "WAIT_UNTIL_GONE":
      return plain(
        "wait until cluster-platform get clusters does not show it any more, and run drift again, which says how to create it again",
      );
    case "PUT_IN_STACK":
      return plain(
        "or, if the code has waitForReady: false for it, put the JSON of the state into the folder of its stack; then it is no drift",
      );
    case "ADOPT":
      return plain("declare it in a stack and adopt it");
    case "ACCEPT_LIVE":
      return plain("declare the live values, and apply; nothing is sent");
    case "UNTAINT":
      return plain("to keep it, remove the mark");
    case "REPLACE_ENTRY":
      return plain(
        "the state has it without a declaration, as after terraform import, which hooks cannot use: remove the entry, declare the object, and adopt it",
      );
    case "IMPORT":
      return plain("or declare it in a stack with Engine.PROVIDER and import it, by an import block or by this command");
    case "MOVE_BACK":
      return plain(
        commands.length === 0
          ? "the key of its instance is not its name: the commands above move it back, too"
          : "the key of its instance is not its name, so the next apply removes the object: move the instance back, and run drift again",
      );
    case "REMOVE_ENTRY":
      return plain(
        "the state has it at its own address, too, so the next apply fails: remove this entry, which does not touch the service",
      );
    case "IGNORE":
      return phrase`${plain(repairs.length > 1 ? "or " : "")}exclude it with --ignore ${object}`;
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
  return `Drift: ${tallied(findings.map(({ kind, verdict }) => ({ kind, what: NAMED[verdict] }))).join(", ")}`;
}

export function notePhrase(note: DriftNote): Phrase {
  switch (note.because) {
    case "nothing lives": {
      const { declared } = note;
      const subject = declared === 1 ? "the only declared object is not" : `none of the ${declared} declared objects is`;
      return plain(`${subject} on the service: is CLUSTER_PLATFORM_URL the right one? If it is not, run none of these commands`);
    }
    case "empty state":
      return phrase`${note.stack} has no resources: is it from the folder and the workspace of the stack?`;
    case "unread":
      return phrase`${note.problem}`;
    case "another service":
      return phrase`not compared, because the state names another service, ${note.service}: ${listed(note.objects, 5)}`;
    case "several missing":
      return phrase`to create all missing objects of ${note.stack} again: ${note.command}`;
    case "declared twice":
      return phrase`${note.object} is declared in ${listed(note.stacks)}: removing it from any of them deletes it`;
    case "stored twice":
      return phrase`${note.object} is in ${note.stack} twice, so the next apply fails. Remove the entry under another key, which does not touch the service: ${note.command}`;
    case "not waited for":
      return phrase`not ready, and not waited for (waitForReady: false): ${listed(note.objects, 5)}`;
    // In one line, because others may have hundreds of objects on the service.
    case "unmanaged":
      return phrase`in none of the given states: ${listed(note.objects, 5)}`;
  }
}
