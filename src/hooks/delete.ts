import { instanceAddress } from "../contract/addresses";
import type { HookBlock } from "../contract/hook-protocol";
import { digestOf } from "../contract/snapshot";
import { permissionOf } from "../decision/deletion";
import { deleteObject } from "../lifecycle/delete";
import { LifecycleError } from "../lifecycle/lifecycle-error";
import { bothLists, namingNothing } from "../lifecycle/live";
import { describeObject } from "../lifecycle/wording";
import { isName } from "../model/object-name";
import { idOf, objectOf, type ObjectRef } from "../model/object-ref";
import { readBlock, readDeclared, readDeletedName, readKey, readProvider, readUid, readTriggers } from "./environment";
import { refuseUnmetNeeds } from "./needs";
import type { Run } from "./run";

export async function deleteHook(run: Run): Promise<void> {
  const block = readBlock(run.env);
  const { type, kind } = block;
  const [name, key] = [readDeletedName(run.env, block), readKey(run.env)];
  if (name === undefined) throw undeclared(block, key);
  const object = { type, kind, name };
  const { objects, digests, retained, needs } = readDeclared(run.env);
  const isDeclared = Object.hasOwn(digests, name);
  const permission = permissionOf(run.settings, idOf(object));
  const uid = readUid(run.env);
  if (!permission.isRetained && key !== "" && key !== name && isDeclared) {
    throw misplaced(object, block.address, key);
  }
  const provider = kind === "clusters" ? readProvider(run.env) : undefined;
  const { gone } = run.ofRun;
  const lists = () => bothLists(run.context(), [object], "Nothing was sent");
  const unknownRetained = permission.isRetained ? [] : await namingNothing(retained, [], lists);
  const replacement = replacementOf(run, digests[name]);
  // A destroy of everything looks like a -replace. So only a replacement with another literal declaration is checked.
  const isCreatedAgain = replacement !== undefined && replacement !== "";
  await deleteObject(run.context(), {
    object,
    provider,
    uid,
    replacement,
    witnesses: objects.map(objectOf),
    beforeDelete: async () => {
      if (!isCreatedAgain) return;
      // Otherwise the apply may register the provider.
      const kept = provider === undefined ? [] : [idOf({ type, kind: "providers", name: provider })];
      await refuseUnmetNeeds(run, needs, { replaced: [idOf(object)], kept: new Set(kept) });
    },
    facts: {
      transition: isDeclared ? "replace" : "remove",
      ...permission,
      // The create hook knows.
      isAdopted: true,
      hasUnknownRetained: unknownRetained.length > 0,
      isSaidGone: gone.has(idOf(object)),
    },
    refused: {
      unknownRetained,
      details: {
        protected: "The deletion guard did not stop the whole apply. Check the log above: other objects may be deleted already",
      },
    },
  });
}

/**
 * The digest of the declaration in the code, if the state has another one, so that Terraform replaces the object. If both are the
 * same, somebody asks for the deletion with -replace.
 */
function replacementOf(run: Run, ofCode: string | undefined): string | undefined {
  const ofState = digestOfState(run);
  return ofState === undefined || ofState === ofCode ? undefined : ofCode;
}

function digestOfState({ env }: Run): string | undefined {
  const triggers = readTriggers(env);
  return triggers && digestOf(triggers, () => false);
}

/** For an instance that no create hook of this package has made. */
function undeclared({ type, kind, address }: HookBlock, key: string): LifecycleError {
  const instance = key === "" ? address : instanceAddress(address, key);
  const objects = isName(key) ? [{ type, kind, name: key }] : [];
  return new LifecycleError({
    code: "NOT_OURS",
    objects,
    summary: `${instance} has no declaration in the state, so nothing shows that this stack created or adopted its object`,
    detail:
      "With hooks, 'terraform import' leaves such an instance; nothing was sent, and Terraform keeps the instance in its state",
    remedies: [
      { code: "REMOVE_INSTANCE", address: instance },
      ...(objects.length > 0 ? [{ code: "ADOPT", objects } as const] : []),
    ],
  });
}

/** Without this, the apply would delete an object that the code declares, and create it again. */
function misplaced(object: ObjectRef, block: string, key: string): LifecycleError {
  const address = instanceAddress(block, key);
  return new LifecycleError({
    code: "MISPLACED",
    objects: [object],
    summary: `${describeObject(object)}: the state has it in ${address}, as after 'terraform state mv', and the code declares it, so Terraform would delete it and create it again; nothing was sent`,
    // Moved back, the instance could stand for an object that a later create has made with another declaration.
    remedies: [
      { code: "REMOVE_INSTANCE", address },
      { code: "ADOPT", objects: [object] },
    ],
  });
}
