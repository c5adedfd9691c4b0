import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openCommandClient } from "../../../api/open-client";
import { NOTES_FOLDER, notesFolder } from "../../../host/notes-folder";
import { readRunSettings, type RunSettings } from "../../../host/run-settings";
import { fromEnv, fromFile } from "../../../host/secret-source";
import { pollLists } from "../../../lifecycle/absence";
import type { Context } from "../../../lifecycle/context";
import { Journal } from "../../../lifecycle/journal";
import { type Lists, liveUnder } from "../../../lifecycle/live";
import { ClusterPlatformError } from "../../../model/errors";
import type { RequiredSecret } from "../../../synthesized/required-secrets";
import { timesOf } from "../../../model/time-limits";
import { systemClock } from "../../../util/clock";
import { connectionHere } from "../../report/connection-here";
import { storedObject } from "../../report/instance";
import type { Plan } from "./plan";

/** What a look at the service and at this machine's notes shows. It sends GETs only, and writes no note. */
export interface Look extends Pick<Context, "journal" | "clock"> {
  /** Of the service. */
  readonly url: string;
  readonly lists: Required<Lists>;
  /** What this environment says about a run. */
  readonly ofRun: RunSettings;
  /** Why a secret is not here. Undefined if it is. */
  problemOf(secret: Pick<RequiredSecret, "kind" | "name">): string | undefined;
}

/**
 * Looks as a run in the folder of the stack would. For an object of the state that the lists lack, it polls like a run.
 * @throws if the service cannot be reached
 */
export async function lookAt(plan: Plan, folder = "."): Promise<Look> {
  const { env } = process;
  try {
    const client = openCommandClient(connectionHere(env, folder), env);
    try {
      const { url } = client;
      const place = { notes: notesFolder(join(folder, NOTES_FOLDER)), url, workspace: workspaceIn(folder), run: "review" };
      const journal = new Journal(place, systemClock);
      const context: Context = {
        client,
        lookup: client,
        clock: systemClock,
        journal,
        times: timesOf({}),
        cancellation: NEVER,
        say,
      };
      const [clusters, providers] = await Promise.all([client.listClusters(), client.listProviders()]);
      const missing = storedIn(plan).filter((object) => !liveUnder(object, { clusters, providers }));
      const lists = missing.length === 0 ? {} : (await pollLists(context, missing, missing, "Nothing was reviewed")).lists;
      return {
        url,
        lists: { clusters, providers, ...lists } as Required<Lists>,
        journal,
        clock: systemClock,
        ofRun: readRunSettings(env),
        problemOf: ({ kind, name }) => {
          const found = kind === "env" ? fromEnv(name, env) : fromFile(name, folder);
          return "problem" in found ? found.problem : undefined;
        },
      };
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof ClusterPlatformError)) throw error;
    throw new ClusterPlatformError(error.code, `${error.message}\nReview without a look at the service: leave out --live`, {
      cause: error,
    });
  }
}

const NEVER = { signal: new AbortController().signal, requestSignal: new AbortController().signal, isInterrupted: false };
const say = (line: string) => void process.stderr.write(`${line}\n`);

function storedIn({ changes }: Plan) {
  return changes.flatMap((change) => {
    const { before } = change.change;
    const object = before && change.deposed === undefined ? storedObject(change, before) : undefined;
    return object ? [object] : [];
  });
}

/** The workspace that Terraform has in a folder. */
function workspaceIn(folder: string): string {
  const chosen = process.env.TF_WORKSPACE?.trim();
  if (chosen) return chosen;
  try {
    return readFileSync(join(folder, ".terraform", "environment"), "utf8").trim() || "default";
  } catch {
    return "default";
  }
}
