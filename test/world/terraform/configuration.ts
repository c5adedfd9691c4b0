import { compileValue, type Compiled, type Scope } from "./language";

export interface Provisioner {
  readonly command: string;
  readonly environment: readonly (readonly [name: string, value: Compiled])[];
}

/** A resource block. */
export interface Block {
  /** As in `null_resource.capvs_clusters`. */
  readonly address: string;
  readonly type: string;
  readonly name: string;
  /** Address of the provider block, as in `clusterplatform.eu`. */
  readonly provider: string;
  readonly forEach?: Compiled;
  /** All other arguments. */
  readonly arguments: Readonly<Record<string, Compiled>>;
  /** Addresses of the blocks that it depends on, directly or not. */
  readonly dependencies: ReadonlySet<string>;
  readonly create: readonly Provisioner[];
  readonly destroy: readonly Provisioner[];
  /** Names of attributes, or all of them. */
  readonly ignoreChanges: readonly string[] | "all";
  readonly createBeforeDestroy: boolean;
}

export interface Removed {
  /** Address of a block. */
  readonly from: string;
  readonly destroy: boolean;
  readonly provisioners: readonly Provisioner[];
}

/** A synthesized stack, as Terraform loads it. */
export interface Configuration {
  readonly blocks: ReadonlyMap<string, Block>;
  /** Dependencies come before their dependents. */
  readonly order: readonly Block[];
  readonly locals: Scope;
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  readonly removed: ReadonlyMap<string, Removed>;
  readonly imports: readonly { readonly to: string; readonly id: string }[];
  /** The arguments of provider blocks, by address. */
  readonly providers: ReadonlyMap<string, Readonly<Record<string, Compiled>>>;
}

const META = new Set(["//", "depends_on", "for_each", "provisioner", "lifecycle", "provider", "connection"]);

export function configurationOf(json: unknown): Configuration {
  const {
    resource = {},
    locals = {},
    moved = [],
    removed = [],
    import: imports = [],
    provider = {},
  } = json as Record<string, never>;
  const raw = Object.entries(resource as Record<string, Record<string, Record<string, unknown>>>).flatMap(([type, blocks]) =>
    Object.entries(blocks).map(([name, block]) => ({ address: `${type}.${name}`, type, name, block })),
  );
  const dependenciesOf = closures(raw, locals);
  const blocks = new Map(
    raw.map(({ address, type, name, block }) => [address, blockOf(address, type, name, block, dependenciesOf(address))]),
  );
  return {
    blocks,
    order: [...blocks.values()].sort((one, other) => one.dependencies.size - other.dependencies.size),
    locals: Object.fromEntries(Object.entries(locals as object).map(([name, value]) => [name, compileValue(value)({})])),
    moved: moved as never,
    removed: new Map((removed as unknown as RawRemoved[]).map((each) => [each.from, removedOf(each)])),
    imports: imports as never,
    providers: new Map(
      Object.entries(provider as Record<string, unknown>).flatMap(([name, blocks]) =>
        ([blocks].flat() as { readonly alias?: string }[]).map(
          ({ alias, ...given }) => [alias === undefined ? name : `${name}.${alias}`, compiledArguments(given)] as const,
        ),
      ),
    ),
  };
}

function blockOf(
  address: string,
  type: string,
  name: string,
  block: Record<string, unknown>,
  dependencies: ReadonlySet<string>,
): Block {
  const [lifecycle = {}] = [block.lifecycle ?? []].flat() as RawLifecycle[];
  const hooks = ((block.provisioner ?? []) as RawProvisioner[]).map((each) => each["local-exec"]);
  return {
    address,
    type,
    name,
    provider: (block.provider as string | undefined) ?? type.slice(0, type.indexOf("_")),
    ...(block.for_each !== undefined && { forEach: compileValue(block.for_each) }),
    arguments: compiledArguments(block),
    dependencies,
    create: hooks.filter(({ when }) => when !== "destroy").map(provisionerOf),
    destroy: hooks.filter(({ when }) => when === "destroy").map(provisionerOf),
    ignoreChanges: lifecycle.ignore_changes ?? [],
    createBeforeDestroy: lifecycle.create_before_destroy ?? false,
  };
}

interface RawLifecycle {
  readonly ignore_changes?: readonly string[] | "all";
  readonly create_before_destroy?: boolean;
}

interface RawProvisioner {
  readonly "local-exec": {
    readonly command: string;
    readonly when?: string;
    readonly environment?: Readonly<Record<string, string>>;
  };
}

interface RawRemoved {
  readonly from: string;
  readonly lifecycle?: readonly { readonly destroy?: boolean }[];
  readonly provisioner?: readonly RawProvisioner[];
}

function removedOf({ from, lifecycle = [], provisioner = [] }: RawRemoved): Removed {
  return {
    from,
    destroy: lifecycle[0]?.destroy ?? true,
    provisioners: provisioner.map((each) => provisionerOf(each["local-exec"])),
  };
}

function provisionerOf({ command, environment = {} }: RawProvisioner["local-exec"]): Provisioner {
  return { command, environment: Object.entries(environment).map(([name, value]) => [name, compileValue(value)] as const) };
}

function compiledArguments(block: unknown): Readonly<Record<string, Compiled>> {
  const given = Object.entries(block as object).filter(([name]) => !META.has(name));
  return Object.fromEntries(given.map(([name, value]) => [name, compileValue(value)]));
}

/**
 * Direct dependencies are `depends_on` and every reference in an argument or a create hook, also by way of a local. A destroy
 * hook can refer only to its own resource.
 */
function closures(
  raw: readonly { address: string; block: Record<string, unknown> }[],
  locals: object,
): (address: string) => ReadonlySet<string> {
  const ofLocals = Object.entries(locals).map(([name, value]) => ({
    address: `local.${name}`,
    block: { value: value as unknown } as Record<string, unknown>,
  }));
  const all = [...raw, ...ofLocals];
  const addresses = new Set(all.map(({ address }) => address));
  const direct = new Map(
    all.map(({ address, block: { provisioner = [], "//": _, depends_on = [], ...rest } }) => {
      const hooks = (provisioner as RawProvisioner[]).filter((each) => each["local-exec"].when !== "destroy");
      const references = [...JSON.stringify([rest, hooks]).matchAll(/[a-z_0-9]+\.[a-zA-Z_][a-zA-Z0-9_-]*/g)].map(
        ([text]) => text,
      );
      return [
        address,
        new Set([...(depends_on as string[]), ...references].filter((each) => addresses.has(each) && each !== address)),
      ];
    }),
  );
  const known = new Map<string, ReadonlySet<string>>();
  const closure = (address: string): ReadonlySet<string> => {
    let found = known.get(address);
    if (!found) {
      const reached = new Set<string>();
      for (const each of direct.get(address) ?? []) {
        if (!each.startsWith("local.")) reached.add(each);
        for (const one of closure(each)) reached.add(one);
      }
      known.set(address, (found = reached));
    }
    return found;
  };
  return closure;
}
