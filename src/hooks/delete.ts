import { readGoneAccepted } from "../contract/run-settings";
import { remove as removeObject } from "../lifecycle/delete";
import { called, enumerated } from "../lifecycle/wording";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { idOf, objectOf } from "../model/object-ref";
import { isProtected, isRetained, WAY_PAST_PROTECTION } from "../model/protection";
import { readBlock, readDeclared, readName, readProvider } from "./environment";
import type { Run } from "./run";

export async function remove(run: Run): Promise<void> {
  const { type, kind, address } = readBlock(run.env);
  const object = { type, kind, name: readName(run.env) };
  if (isRetained(run.settings, idOf(object))) {
    run.journal().forget([object]);
    return run.say(`${called(object)}: left on the service (retain); Terraform forgets it`);
  }
  if (isProtected(run.settings, idOf(object))) {
    throw new ClusterPlatformError(
      "PROTECTED",
      `${called(object)} is protected from deletion; nothing was sent. To delete it, ${WAY_PAST_PROTECTION}`,
    );
  }
  const provider = kind === "clusters" ? readProvider(run.env) : undefined;
  const { objects, retained } = readDeclared(run.env);
  const receipt = run.journal().receipt(run.settings.platform ?? "");
  if (!receipt && retained.length > 0) throw unknownRetained(called(object), retained);
  await removeObject(
    run.context(() => address),
    {
      object,
      provider,
      witnesses: objects.map(objectOf),
      serviceSeen: receipt?.serviceSeen ?? false,
      acceptGone: readGoneAccepted(run.env),
    },
  );
}

/** Where a guard runs, it sees the state, too, and says so before anything is deleted. */
function unknownRetained(object: string, names: readonly string[]): ConfigurationError {
  return new ConfigurationError(
    "INVALID_SETTING",
    `${object}: the Platform's 'retain' has ${enumerated(names)}, which the code does not declare. The deletion guard, which knows what the state has, did not run, because the run before failed or this one has -target. ` +
      "Were such a name misspelled, what it is to keep could be deleted now; nothing was sent. " +
      "Correct it, or take it out if an earlier apply has let go of it. If it is what this change removes, put the other removals back, apply that one alone, and remove the others afterwards",
  );
}
