import type { LiveCluster, PlatformClient } from "../api/client";
import { ApiError, ClusterPlatformError, DeadlineError } from "../model/errors";
import { objectId } from "../contract/addresses";
import type { TypeCode } from "../model/provider-type";
import type { HookBlock } from "../contract/hook-protocol";
import { isProtected, isRetained, WAY_PAST_PROTECTION } from "../model/protection";
import { connection } from "../api/connection";
import { readBlock, readName, readProvider } from "./environment";
import { Journal } from "./journal";
import { mayPass } from "./outage";
import { called, duration, enumerated, type Run } from "./run";

/** Clusters that are on their way out may still use a provider for this long. */
const CLUSTERS_LEAVE_SECONDS = 30;
/** Some deletions are over in no time; the looks grow apart up to the poll interval. */
const FIRST_LOOK_MS = 250;
/** A list that lacks what was never seen may be stale: a second look, so many milliseconds later, has to agree. */
const CONFIRM_ABSENT_MS = 1_000;
/** A look may take so much longer than the deletion may, in milliseconds: what it shows decides what is said. */
const LAST_LOOK_MS = 5_000;

/**
 * Makes the service no longer have the object, and proves it by a list that lacks it. What it deletes comes from
 * Terraform's state alone, and only if what lives under the name is of the recorded type and provider.
 */
export async function remove(run: Run): Promise<void> {
  const block = readBlock(run.env);
  const name = readName(run.env);
  const id = objectId(block.type, block.kind, name);
  const object = called(block, name);

  if (isRetained(run.settings, id)) {
    Journal.forget(id, connection(run.settings.connection, run.env).url);
    return run.say(`${object}: left on the service (retain); Terraform forgets it`);
  }
  if (isProtected(run.settings, id)) {
    throw new ClusterPlatformError(
      "PROTECTED",
      `${object} is protected from deletion; nothing was sent. To delete it, ${WAY_PAST_PROTECTION}`,
    );
  }

  run.interruption.leaving(`Nothing was sent for ${object}. The next apply deletes it`);
  const started = Date.now();
  const period = { started, deadline: started + run.settings.deleteSeconds * 1000 };
  const deletion =
    block.kind === "clusters" ? clusterDeletion(run, block, name, period) : providerDeletion(run, block, name, period);
  if (await beforehand(run, object, period, deletion)) await carryOut(run, deletion, object, period);
  else run.say(`${object}: is not on the service any more`);
  Journal.forget(id, run.client().url);
}

/** When a deletion began, and when it has to be over, in milliseconds since the epoch. */
interface Period {
  readonly started: number;
  readonly deadline: number;
}

interface Deletion {
  /** Whether the object still lives; refuses when something else lives under its name. */
  present(): Promise<boolean>;
  /** Refuses while something else on the service needs the object. */
  unused(): Promise<void>;
  send(): Promise<"accepted" | "absent">;
}

/** Whether there is something to delete, which may be deleted. */
async function beforehand(run: Run, object: string, period: Period, deletion: Deletion): Promise<boolean> {
  try {
    if (!(await deletion.present())) {
      await run.interruption.pause(CONFIRM_ABSENT_MS);
      if (!(await deletion.present())) return false;
    }
    await deletion.unused();
    return true;
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    throw new ClusterPlatformError(
      "DELETE_TIMEOUT",
      `${object}: whether it can be deleted was not seen within ${elapsed(period)} (timeouts.deleteSeconds): ${error.message}. Nothing was sent. Terraform keeps it in its state; the next apply deletes it`,
      { cause: error },
    );
  }
}

async function carryOut(run: Run, deletion: Deletion, object: string, period: Period): Promise<void> {
  run.interruption.leaving(`The service may still be deleting ${object}. The next apply waits until it is gone`);
  run.say(`${object}: deleting; if interrupted, the service may go on, and the next apply sees to it`);
  let answer = await send(run, deletion, object, period);
  for (let pause = FIRST_LOOK_MS; await stillPresent(run, deletion, object); pause *= 2) {
    const left = period.deadline - Date.now();
    if (left <= 0) throw timedOut(object, period, "although the service was asked to delete it");
    await run.interruption.pause(Math.min(pause, run.settings.pollSeconds * 1000, left));
    // Only the list proves an absence. Who answered that there is no such object may be something in between.
    if (answer === "absent") answer = await send(run, deletion, object, period);
  }
  run.say(`${object}: deleted after ${elapsed(period)}`);
}

/** An outage does not end the wait for a deletion that was accepted. */
async function stillPresent(run: Run, deletion: Deletion, object: string): Promise<boolean> {
  try {
    return await deletion.present();
  } catch (error) {
    if (!(error instanceof DeadlineError || mayPass(error))) throw error;
    run.say(`${object}: whether it is gone cannot be seen: ${error.message}; looking again`);
    return true;
  }
}

function timedOut(object: string, period: Period, why: string, cause?: unknown): ClusterPlatformError {
  return new ClusterPlatformError(
    "DELETE_TIMEOUT",
    `${object} is still on the service after ${elapsed(period)} (timeouts.deleteSeconds), ${why}. Terraform keeps it in its state; the next apply goes on`,
    { cause },
  );
}

/** A refusal that may pass (the service is still busy with the object) is waited out. */
async function send(run: Run, deletion: Deletion, object: string, period: Period): Promise<"accepted" | "absent"> {
  const poll = run.settings.pollSeconds * 1000;
  for (let said = ""; ;) {
    try {
      if (said !== "") await deletion.unused();
      return await deletion.send();
    } catch (error) {
      const refused = error instanceof ApiError && error.status === 409;
      if (!(refused || error instanceof DeadlineError)) throw error;
      if (!refused || Date.now() + poll > period.deadline) throw timedOut(object, period, error.message, error);
      if (error.message !== said) run.say(`${object}: ${error.message}; trying again`);
      said = error.message;
      await run.interruption.pause(poll);
    }
  }
}

function elapsed({ started }: Period): string {
  return duration(Date.now() - started);
}

function lookingUntil({ deadline }: Period): number {
  return Math.max(deadline, Date.now() + LAST_LOOK_MS);
}

function clusterDeletion(run: Run, { type }: HookBlock, name: string, period: Period): Deletion {
  const client = run.client();
  const provider = readProvider(run.env);
  return {
    async present() {
      const options = { signal: run.interruption.signal, deadline: lookingUntil(period) };
      const live = (await client.listClusters(options)).find(name);
      if (live && (live.type !== type || (live.provider !== "" && live.provider !== provider))) {
        throw new ClusterPlatformError(
          "NOT_OURS",
          `cluster ${name}: what lives under this name is a ${live.type} cluster on provider ${live.provider || "(not said)"}, but this stack had a ${type} cluster on ${provider}; ` +
            `nothing was sent. If the other one is to stay, list the name in the Platform's retain and apply again`,
        );
      }
      return live !== undefined;
    },
    unused: async () => undefined,
    send: () => client.deleteCluster(name, { signal: run.interruption.graceSignal, deadline: period.deadline }),
  };
}

function providerDeletion(run: Run, { type }: HookBlock, name: string, period: Period): Deletion {
  const client = run.client();
  return {
    async present() {
      const options = { signal: run.interruption.signal, deadline: lookingUntil(period) };
      return (await client.listProviders(options)).find(type, name) !== undefined;
    },
    unused: () => unusedProvider(run, client, type, name, period),
    send: () => client.deleteProvider(type, name, { signal: run.interruption.graceSignal, deadline: period.deadline }),
  };
}

/** A provider is not touched while clusters live on it: they would lose the ground they stand on. */
async function unusedProvider(run: Run, client: PlatformClient, type: TypeCode, name: string, period: Period): Promise<void> {
  const until = Math.min(period.deadline, Date.now() + CLUSTERS_LEAVE_SECONDS * 1000);
  for (;;) {
    const users = (await client.listClusters({ signal: run.interruption.signal, deadline: lookingUntil(period) }))
      .all()
      .filter((cluster: LiveCluster) => cluster.type === type && cluster.provider === name);
    if (users.length === 0) return;
    if (Date.now() >= until) {
      const names = users.map((cluster) => cluster.name).sort();
      throw new ClusterPlatformError(
        "PROVIDER_IN_USE",
        `${type} provider ${name} is used by ${enumerated(names)}; nothing was sent. ` +
          `The service cannot change a registration in use: register the new one under another name, or remove the clusters first. ` +
          `One that an interrupted apply of this stack left is taken over: declare it again if the code lacks it, apply with CLUSTER_PLATFORM_ADOPT=${names
            .map((user) => objectId(type, "clusters", user))
            .slice(0, 10)
            .join(",")}, and remove it then`,
      );
    }
    await run.interruption.pause(Math.min(run.settings.pollSeconds * 1000, Math.max(50, until - Date.now())));
  }
}
