import type { ObjectValue } from "../../src/terraform/value";
import { LAB, type Program } from "./programs";
import type { Change } from "./terraform/core";
import type { Instance } from "./terraform/state";

/** The object of an instance; undefined for support resources, and for an instance of hooks that was imported. */
export function idOf({ block, attributes }: Instance): string | undefined {
  const [, type, kind] =
    /^[a-z_]+\.(?:lab_)?([a-z0-9]+)_(provider|cluster)s(?:_moving_\w+)?$/.exec(block) ??
    /^clusterplatform_([a-z0-9]+)_(provider|cluster)\./.exec(block) ??
    [];
  const triggers = (attributes.triggers ?? attributes.triggers_replace) as ObjectValue | null | undefined;
  const name = (triggers ?? attributes).name;
  return kind === undefined || typeof name !== "string" ? undefined : `${type}/${kind}s/${name}`;
}

/** What the provider notes. */
export function serviceOf({ attributes }: Instance): string | undefined {
  return attributes.service as string | undefined;
}

/** Tells the instance apart from all others. */
export function uidOf({ attributes }: Instance) {
  return attributes.uid ?? attributes.id;
}

/** What the state says of the declaration of an object, without settings and what a refresh writes. */
export function declaredIn(instance: Instance | undefined): ObjectValue {
  const { drift: _, kubernetes_versions: __, deletion_protection: ___, adopt: ____, ...declared } = instance?.attributes ?? {};
  return declared;
}

/** The object that a change of a plan is about, as its address tells. */
export function idInChange(change: string): string | undefined {
  const address = change.slice(change.indexOf(" ") + 1);
  const [, type, kind, name] =
    /^[a-z_]+\.(?:lab_)?([a-z0-9]+)_(provider|cluster)s(?:\["|_moving_)(\w+)/.exec(address) ??
    /^clusterplatform_([a-z0-9]+)_(provider|cluster)\.(?:lab_)?(\w+)/.exec(address) ??
    [];
  return kind === undefined ? undefined : `${type}/${kind}s/${name}`;
}

/** Whether changes delete or replace an object. */
export function isLeaving(changes: readonly Change[], id: string): boolean {
  return changes.some(({ action, prior }) => (action === "delete" || action === "replace") && prior && idOf(prior) === id);
}

export function isOfLab(block: string): boolean {
  return block.includes(`.${LAB}_`);
}

/** The URL that the code has for the Platform of a block. */
export function urlOf(program: Program, block: string): string | undefined {
  return urlOfPlatform(program, isOfLab(block) ? LAB : "");
}

/** @param name empty for a Platform without a name */
export function urlOfPlatform({ platform, beside, url }: Program, name: string): string | undefined {
  const isOfBeside = beside !== undefined && (name === LAB) !== (platform === LAB);
  return (isOfBeside ? beside.url : undefined) ?? url;
}
