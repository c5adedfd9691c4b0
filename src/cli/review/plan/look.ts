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
import { MISSING_MS } from "../../../lifecycle/times";
import type { ObjectRef } from "../../../model/object-ref";
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
 * Looks as a run in the folder of the stack would. Like a run, it polls for an object of the state that the lists lack, and looks again
 * at an object that this machine has asked the service to delete.
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
      const lists = async () => {
        const [clusters, providers] = await Promise.all([client.listClusters(), client.listProviders()]);
        return { clusters, providers };
      };
      let seen: Required<Lists> = await lists();
      const objects = objectsIn(plan);
      const isDoubtful = (object: ObjectRef) => liveUnder(object, seen) && journal.of(object).recentDeletion();
      const missing = objects.filter(({ isStored, ...object }) => isStored && !liveUnder(object, seen));
      if (missing.length > 0) seen = { ...seen, ...(await pollLists(context, missing, missing, "Nothing was reviewed")).lists };
      if (objects.some(isDoubtful)) {
        await systemClock.pause(MISSING_MS);
        seen = await lists();
      }
      return {
        url,
        lists: seen,
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

const NEVER = { signal: new AbortController().signal, requestSignal: new AbortController().signal };
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** The objects that a plan is about. */
function objectsIn({ changes }: Plan) {
  return changes.flatMap((change) => {
    const { before, after } = change.change;
    const object = change.deposed === undefined ? storedObject(change, before ?? after) : undefined;
    return object ? [{ ...object, isStored: Boolean(before) }] : [];
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
