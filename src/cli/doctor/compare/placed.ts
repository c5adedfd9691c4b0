import { parseAddress, type NamedResource, objectAt, type PlatformId } from "../../report/instance";
import type { StateObject } from "../../drift/state-objects";
import type { StateResource } from "../../report/state-values";
import type { Stack } from "../stack";

/** An object of the state where an apply has it after the `moved` blocks. Its `address` is that of the state. */
export interface PlacedObject extends StateObject {
  /** After the moves. */
  readonly at: string;
  /** Before the moves. */
  readonly from: PlatformId;
}

export interface Place {
  /** Where the code moves the instance. */
  readonly target: string;
  /** The target, or the address in the state if Terraform cannot move the instance, because the state has another one there. */
  readonly at: string;
}

/** Where an apply has an instance of the state. */
export type PlaceOf = (address: string) => Place;

export function placesAfter({ moved }: Pick<Stack, "moved">, resources: readonly StateResource[]): PlaceOf {
  const taken = new Set(resources.flatMap(({ address }) => [address, split(address)[0]]));
  const step = (address: string) => {
    const [block, key] = split(address);
    const [to, ofInstance] = moved.has(address) ? [moved.get(address)!, ""] : [moved.get(block), key];
    return to === undefined ? undefined : { to: to + ofInstance, isTaken: taken.has(to) };
  };
  return (address) => {
    const passed = new Set([address]);
    let [target, isBlocked] = [address, false];
    for (let next = step(address); next; next = step(target)) {
      // Terraform refuses a circle of moves, but the doctor may run before Terraform.
      if (passed.has(next.to)) return { target: address, at: address };
      passed.add(next.to);
      target = next.to;
      isBlocked ||= next.isTaken;
    }
    return { target, at: isBlocked ? address : target };
  };
}

/** With its values as they are before the move. */
export function placedResource(resource: StateResource, at: string): StateResource {
  const place = at === resource.address ? undefined : parseAddress(at);
  if (!place) return resource;
  const { module_address: _, ...rest } = resource;
  return { ...rest, ...place };
}

export function placedObject(object: StateObject, at: string): PlacedObject {
  const place = at === object.address ? undefined : parseAddress(at);
  return { ...object, id: place ? placedId(object.id, place) : object.id, at, from: object.id.platform };
}

/** An object that moves to the Terraform provider is with its hooks until the provider has updated it. */
function placedId(id: StateObject["id"], place: NamedResource): StateObject["id"] {
  const there = objectAt(place, id.name);
  if (!there) return id;
  return there.byProvider === id.byProvider ? there : { ...id, platform: there.platform };
}

/** The block and the key of an instance. */
function split(address: string): [block: string, key: string] {
  const key = /\[(?:"(?:[^"\\]|\\.)*"|\d+)\]$/.exec(address)?.[0] ?? "";
  return [address.slice(0, address.length - key.length), key];
}
