import { readGoneAccepted } from "../contract/run-settings";
import { remove as removeObject } from "../lifecycle/delete";
import { called, enumerated } from "../lifecycle/wording";
import { ClusterPlatformError, ConfigurationError } from "../model/errors";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { allowDeletionLine, isProtected, isRetained, retainLine } from "../model/protection";
import { platformCalled } from "./advice";
import { readBlock, readDeclared, readName, readProvider, readResourceId } from "./environment";
import type { Run } from "./run";

export async function remove(run: Run): Promise<void> {
  const { type, kind, address } = readBlock(run.env);
  const object = { type, kind, name: readName(run.env) };
  if (isRetained(run.settings, idOf(object))) {
    run.journal().forget([object]);
    return run.say(`${called(object)}: left on the service (retain); Terraform forgets it`);
  }
  const provider = kind === "clusters" ? readProvider(run.env) : undefined;
  const { objects, retained, elsewhere } = readDeclared(run.env);
  const receipt = run.journal().receipt(run.settings.platform ?? "");
  const refusal = elsewhere.includes(idOf(object))
    ? declaredElsewhere(run, object)
    : isProtected(run.settings, idOf(object))
      ? protectedFromDeletion(run, object)
      : undefined;
  if (!refusal && !receipt && retained.length > 0) throw unknownRetained(called(object), retained);
  await removeObject(
    run.context(() => address),
    {
      object,
      provider,
      resourceId: readResourceId(run.env),
      witnesses: objects.map(objectOf),
      serviceSeen: receipt?.serviceSeen ?? false,
      acceptGone: readGoneAccepted(run.env),
      refusal,
    },
  );
}

/** The other Platform adopts the object in this apply, or has it already. */
function declaredElsewhere({ settings }: Run, object: ObjectRef): ClusterPlatformError {
  return new ClusterPlatformError(
    "PROTECTED",
    `${called(object)} has left ${platformCalled(settings)}, but another Platform of the stack declares it; nothing was sent. ` +
      `To move it there, write ${retainLine(settings, [idOf(object)])} on ${platformCalled(settings)} for one apply, and move or adopt it there. ` +
      "To delete it and create it again, remove it from the other Platform, apply, and declare it there again",
  );
}

/** For deletions that the deletion guard does not see. The guard refuses all others before the apply deletes anything. */
function protectedFromDeletion({ settings }: Run, object: ObjectRef): ClusterPlatformError {
  const ids = [idOf(object)];
  return new ClusterPlatformError(
    "PROTECTED",
    `${called(object)} is protected from deletion; nothing was sent. The deletion guard did not stop the whole apply, so other objects may have been deleted: it does not see -replace, -target, another value of a token, or a change right after a run that failed. ` +
      `To delete it, write ${allowDeletionLine(settings, ids)} on ${platformCalled(settings)}. To remove it from the code and keep it on the service, write ${retainLine(settings, ids)} there`,
  );
}

/** For a run without a deletion guard. A guard knows the state, too, and refuses before anything is deleted. */
function unknownRetained(object: string, names: readonly string[]): ConfigurationError {
  return new ConfigurationError(
    "INVALID_SETTING",
    `${object}: the Platform's 'retain' has ${enumerated(names)}, which the code does not declare. The deletion guard, which knows what the state has, did not run, because the run before failed or this one has -target. ` +
      "If such a name is a typing error, the object that it should keep could be deleted now; nothing was sent. " +
      "Correct the name. If an earlier apply has released the object, remove the name. If this change releases the object, undo the other removals, apply, and then remove the others",
  );
}
