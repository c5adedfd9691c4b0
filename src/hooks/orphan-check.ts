import { ClusterPlatformError } from "../model/errors";
import { isRetained } from "../model/protection";
import { connection } from "../api/connection";
import { Journal } from "./journal";
import { liveObjects } from "./live-objects";
import { removedObjects } from "./removed-objects";
import { duration, enumerated, type Run } from "./run";

/** A service may carry out a request so much later than it was sent, in milliseconds. */
const LATE_MS = 2 * 60_000;

/**
 * Runs after everything that goes is gone, and fails while any of it still lives: an instance whose create was
 * killed is tainted, and Terraform drops it without ever calling its destroy hook.
 */
export async function checkOrphans(run: Run): Promise<void> {
  const gone = removedObjects(run.env);
  for (const id of gone.filter((id) => isRetained(run.settings, id))) {
    Journal.forget(id, connection(run.settings.connection, run.env).url);
  }
  const removed = gone.filter((id) => !isRetained(run.settings, id));
  if (removed.length === 0) return;
  run.interruption.leaving("Whether removed objects still live was not looked at. The next apply does");
  let live = await stillLive(run, removed);
  if (live.length === 0) live = await appearing(run, removed);
  if (live.length > 0) throw left(live);
  for (const id of removed) Journal.forget(id, run.client().url);
}

function left(live: readonly string[]): ClusterPlatformError {
  return new ClusterPlatformError(
    "STILL_LIVE",
    `removed from the code, but still on the service: ${live.join(", ")}. Terraform called no destroy hook. If this run has -target, or -replace of the orphan check, that leaves out what lives: apply without it. ` +
      `Otherwise their create was interrupted, failed, or was refused as the name was taken. ` +
      `If it is this stack's: declare it again, apply with CLUSTER_PLATFORM_ADOPT=${live.join(",")}, and remove it then. ` +
      `If it is somebody else's, or is to stay: retain: [${live.map((id) => `"${id}"`).join(", ")}] on the Platform, for one apply`,
  );
}

/** Looks on for what is not there, but whose creation was sent not long ago and has no answer on record. */
async function appearing(run: Run, removed: readonly string[]): Promise<string[]> {
  const { createSeconds, deleteSeconds, pollSeconds } = run.settings;
  const started = Date.now();
  const end = started + Math.min(LATE_MS, deleteSeconds * 1000);
  // Until a create is over it repeats its request, and the note keeps the time of the first.
  const lateUntil = (id: string) => Date.parse(Journal.noted(id, run.client().url)?.at ?? "") + createSeconds * 1000 + LATE_MS;
  const late = removed.filter((id) => lateUntil(id) > started);
  if (late.length === 0) return [];
  run.say(
    `${enumerated(late)}: the request to create ${late.length === 1 ? "it" : "them"} may be carried out yet; looking on for ${duration(end - started)}`,
  );
  run.interruption.leaving(`Whether the service has created ${enumerated(late)} late was not seen. The next apply looks again`);
  for (let live: string[] = []; ; live = await stillLive(run, late)) {
    const remaining = end - Date.now();
    if (live.length > 0 || remaining <= 0) return live;
    await run.interruption.pause(Math.min(pollSeconds * 1000, remaining));
  }
}

function stillLive(run: Run, removed: readonly string[]): Promise<string[]> {
  return liveObjects(run, removed, "Terraform keeps in its state what to look for");
}
