import { clusterId, type ObjectName, type Program, URLS } from "../programs";
import { replay } from "../shrink";
import { CALM, type Sequence } from "../steps";
import { played, program } from "./scripted";

const declaring = program({ c1: 0, c2: 0 });
const [, wrong, moved] = URLS;

test("a removal on a service without objects of the stack changes nothing, and can be done on the right one", async () => {
  const { violations, endings, deleted } = await played(
    { program: declaring },
    { program: program({ c1: 0 }), url: wrong },
    { program: program({ c1: 0 }) },
  );
  expect({ violations, endings: endings.slice(0, 3), deleted }).toEqual({
    violations: [],
    endings: ["succeeds", "FAILS", "succeeds"],
    deleted: ["/api/v1/clusters/c2"],
  });
});

test("with hooks, a service with objects of the same names loses them, and the judge says why", async () => {
  const play = await replay({
    setup: { engine: "terraform_data", ...CALM },
    seed: 1,
    steps: [
      { program: declaring, other: { act: "creates", name: "c2", variant: 0, url: wrong } },
      { program: program({ c1: 0 }), url: wrong },
    ],
  });
  expect(play.violations).toEqual([]);
  expect(play.judges.map(({ exceptions }) => exceptions.get("the same names"))).toEqual([1, 1]);
});

test("with the provider, such a service loses nothing", async () => {
  const engine = "provider";
  const all: Program = { engine, clusters: { c2: 0 } };
  const others = (name: ObjectName) => ({ other: { act: "creates", name, variant: 0, url: wrong } }) as const;
  const steps: Sequence["steps"] = [
    { program: all, ...others("vsphere") },
    { program: all, ...others("c2") },
    { program: { engine, clusters: {} }, url: wrong },
  ];
  const play = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  expect(play.violations).toEqual([]);
  expect(play.log.join("\n")).toContain(`${clusterId("c2")} by somebody else`);
  expect(play.log.join("\n")).not.toContain("DELETE https://other.example.com");
});

test.each(["terraform_data", "provider"] as const)("a service moves to another URL: %s", async (engine) => {
  const steps: Sequence["steps"] = [
    { program: { ...declaring, engine } },
    { program: { ...declaring, engine }, url: moved },
    { program: { ...declaring, engine, clusters: { c1: 0 } }, url: moved },
    { program: { ...declaring, engine, clusters: { c1: 1 } }, url: moved },
  ];
  const play = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  expect(play.violations).toEqual([]);
  expect(play.log.join("\n")).not.toContain("FAILS");
});

test("with the provider, an apply of another URL changes nothing else", async () => {
  const all: Program = { ...declaring, engine: "provider" };
  for (const clusters of [{ c1: 0 }, { c1: 1, c2: 0 }, { c1: 0, c2: 0, c3: 0 }] as const) {
    const steps: Sequence["steps"] = [{ program: all }, { program: { ...all, clusters }, url: moved }];
    const play = await replay({ setup: { engine: "provider", ...CALM }, seed: 1, steps });
    expect(play.violations).toEqual([]);
    expect(play.log.join("\n")).toMatch(/run 2 on A: apply FAILS/);
  }
});

test("somebody else's service with the same objects loses them only after an apply of its URL alone", async () => {
  const engine = "provider";
  const all: Program = { engine, clusters: { c2: 0 } };
  const others = (name: ObjectName) => ({ other: { act: "creates", name, variant: 0, url: wrong } }) as const;
  const steps: Sequence["steps"] = [
    { program: all, ...others("vsphere") },
    { program: all, ...others("c2") },
    { program: all, url: wrong },
    { program: { engine, clusters: {} }, url: wrong },
  ];
  const play = await replay({ setup: { engine, ...CALM }, seed: 1, steps });
  expect(play.violations).toEqual([]);
  expect(play.log.join("\n")).toContain("DELETE https://other.example.com");
});
