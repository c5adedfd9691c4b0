import { aside, type InstanceId } from "./instance";

/** An instance in the state that stands for an object. */
interface StoredAt {
  readonly id: Pick<InstanceId, "id" | "byProvider">;
  readonly address: string;
  readonly tainted: boolean;
}

/** The commands that bring an object to its address. Empty if the commands for another object have done it. */
export interface WayHome {
  /** `remove` if the state has the object there, too. */
  readonly does: "move" | "remove";
  readonly commands: readonly string[];
}

/**
 * The ways of the objects of one state to their addresses. Those that are in the way of one move first, and need no commands later.
 * @param homeOf undefined if the address of the instance is right, or if no address is
 */
export function waysHome<Stored extends StoredAt>(
  all: readonly Stored[],
  homeOf: (instance: Stored) => string | undefined,
): (instance: Stored, home: string) => WayHome {
  const stored = new Map(all.map((instance) => [instance.address, instance]));
  const addresses = new Map(all.map((instance) => [instance, instance.address]));
  let commands: string[] = [];
  const remove = (instance: Stored) => {
    const from = addresses.get(instance)!;
    commands.push(removing(from));
    stored.delete(from);
  };
  const move = (instance: Stored, to: string) => {
    const from = addresses.get(instance)!;
    commands.push(`terraform state mv ${inQuotes(from)} ${inQuotes(to)}`);
    stored.delete(from);
    stored.set(to, instance);
    addresses.set(instance, to);
  };
  const bring = (instance: Stored, home: string, waiting: readonly Stored[]) => {
    const other = stored.get(home);
    // With hooks, a tainted instance may never have been created.
    const isTwin = other && (other.id.id === instance.id.id || (other.tainted && !other.id.byProvider));
    if (isTwin) {
      if (!other.tainted) return remove(instance);
      remove(other);
    } else if (other) {
      const next = homeOf(other);
      if (next === undefined || waiting.includes(other)) move(other, aside(home));
      else bring(other, next, [...waiting, instance]);
    }
    move(instance, home);
  };
  return (instance, home) => {
    commands = [];
    if (addresses.get(instance) !== home) bring(instance, home, []);
    return { does: stored.get(home) === instance ? "move" : "remove", commands };
  };
}

/** Takes an entry out of the state. The object stays on the service. */
export function removing(address: string): string {
  return `terraform state rm ${inQuotes(address)}`;
}

/** One word of a POSIX shell. */
export function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : inQuotes(text);
}

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
