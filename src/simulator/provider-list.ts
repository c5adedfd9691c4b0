import type { JsonObject, TypeCode } from "../model/provider-type";
import { providerTypes } from "../declarations/types";
import { nodeCountOf } from "./bodies";
import type { Inventory } from "./inventory";
import type { SimulatedProvider } from "./objects";

/** How many addresses a pool has. No nodes use them. */
const POOL_SIZE = 250;

/** One entry per type, used or not. */
export function providerList(inventory: Inventory): JsonObject[] {
  const configs = new Map<string, JsonObject[]>(Object.keys(providerTypes).map((type) => [type, []]));
  for (const provider of inventory.providers) {
    configs.get(provider.type)!.push({
      ...provider.config,
      IPAddressPoolAvailableCount: provider.config.IPAddressPoolName === "" ? 0 : freeAddresses(inventory, provider),
    });
  }
  return [...configs].map(([providerType, configs]) => ({ providerType: providerType as TypeCode, configs }));
}

function freeAddresses(inventory: Inventory, provider: SimulatedProvider): number {
  let used = 0;
  for (const { body } of inventory.clustersOf(provider)) used += nodeCountOf(body);
  return Math.max(0, POOL_SIZE - used);
}
