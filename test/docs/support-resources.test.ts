import { TerraformOutput } from "cdktf";
import { parseBlockId } from "../../src/contract/addresses";
import { Engine } from "../../src/constructs/engine";
import { Platform } from "../../src/constructs/platform";
import type { PlatformProps } from "../../src/constructs/platform-props";
import { cluster, provider } from "../support/capvs";
import { table } from "../support/docs-table";
import { synthesize } from "../support/synth";

/** The table of test/world/tables.md that says which resources a stack with hooks has. */
const ROWS = table("test/world/tables.md", "| resource | in which stack | what it does |");

const BLOCKS = "the blocks of providers, then those of clusters";

interface Settings extends Pick<PlatformProps, "engine"> {
  readonly used?: "uid" | "dependsOn";
}

/** When a stack has the resources of a row. */
const CONDITIONS: Readonly<Record<string, (settings: Settings) => boolean>> = {
  every: () => true,
  "something depends on the cluster or uses its uid": ({ used }) => used !== undefined,
};

/** The names in a first cell, as addresses. */
function namesIn(cell: string, platform = ""): string[] {
  if (cell === BLOCKS) return [cell];
  const [owner = ""] = /^.*(cluster_platform_|\.)/.exec(cell) ?? [];
  return cell.split(", ").map((name) => `${owner}${platform && `${platform}_`}${name.replace(owner, "")}`);
}

interface Resource {
  readonly depends_on?: readonly string[];
}

/** The resources of a synthesized stack, by their name in the table. */
function synthesized(settings: Settings, name?: string): Map<string, Map<string, Resource>> {
  const { used, ...props } = settings;
  const { resource } = synthesize((stack) => {
    new Platform(stack, "platform", { ...props, ...(name && { name }) });
    const prod = cluster(stack, "prod", provider(stack));
    if (used === "uid") new TerraformOutput(stack, "uid", { value: prod.uid });
    if (used === "dependsOn") new TerraformOutput(stack, "after", { value: "1", dependsOn: [prod] });
  });
  const found = new Map<string, Map<string, Resource>>();
  for (const [type, all] of Object.entries(resource)) {
    for (const [id, block] of Object.entries(all)) {
      const known = parseBlockId(id) ? BLOCKS : `${type}.${id}`;
      found.set(known, (found.get(known) ?? new Map()).set(`${type}.${id}`, block));
    }
  }
  return found;
}

const HOOKS: readonly Settings[] = [
  { engine: Engine.NULL_RESOURCE },
  { engine: Engine.TERRAFORM_DATA },
  { engine: Engine.TERRAFORM_DATA, used: "dependsOn" },
  { engine: Engine.NULL_RESOURCE, used: "uid" },
];

test.each(HOOKS.flatMap((settings) => [undefined, "eu"].map((name) => [settings, name] as const)))(
  "a stack with %j and the name %s has the resources of the table",
  (settings, name) => {
    const expected = ROWS.filter(([, when]) => CONDITIONS[when!]!(settings)).flatMap(([cell]) => namesIn(cell!, name));
    expect([...synthesized(settings, name).keys()].sort()).toEqual(expected.sort());
  },
);

test("a stack with the provider has none of them", () => {
  const has = [...synthesized({ engine: Engine.PROVIDER }).keys()];
  expect(has.filter((each) => ROWS.some(([cell]) => namesIn(cell!).includes(each)))).toEqual([]);
});

test("each resource depends on those of the rows above", () => {
  const found = synthesized({ engine: Engine.TERRAFORM_DATA });
  const dependsOn = new Map(
    [...found.values()].flatMap((all) => [...all].map(([address, block]) => [address, block.depends_on])),
  );
  const reached = (address: string): Set<string> => {
    const all = new Set<string>();
    const pending = [address];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const each of dependsOn.get(next) ?? []) {
        if (!all.has(each)) pending.push(each);
        all.add(each);
      }
    }
    return all;
  };
  const rows = ROWS.filter(([, when]) => when === "every").map(([cell]) =>
    namesIn(cell!).flatMap((each) => [...found.get(each)!.keys()]),
  );
  rows.forEach((row, index) => {
    const above = rows.slice(0, index).flat();
    for (const address of row) expect([address, above.filter((each) => !reached(address).has(each))]).toEqual([address, []]);
  });
});
