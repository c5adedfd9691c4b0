import { played, program } from "./scripted";

/** A misspelled entry of `retain` would delete the object that it should keep. */

const one = program({ c1: 0 });
const misspelled = { retain: ["c9"] };

test("stops a replacement, before anything is deleted", async () => {
  const { violations, runs, deleted } = await played({ program: one }, { program: program({ c1: 1 }, misspelled) });
  expect(runs[1]).toContain("the Platform's retain has c9, which neither the code nor the last apply of this Platform has");
  expect(runs[1]).toContain("capvs/clusters/c1 is neither deleted nor replaced");
  expect(runs[1]).not.toContain("DELETE");
  // The next run corrects the name.
  expect(deleted).toEqual(["/api/v1/clusters/c1"]);
  expect(violations).toEqual([]);
});

test("stops -replace, which the deletion guard does not see, although the guard runs", async () => {
  const { violations, runs } = await played(
    { program: one },
    { program: program({ c1: 0, c3: 0 }, misspelled), replace: ["c1"] },
  );
  expect(runs[1]).toContain("the Platform's retain has c9, which the code does not declare");
  expect(runs[1]).not.toContain("DELETE");
  expect(violations).toEqual([]);
});

test("stops the deletion of an object that came with -target, which the deletion guard does not know", async () => {
  const { violations, runs } = await played(
    { program: one },
    { program: program({ c1: 0, c2: 0 }), target: ["c2"] },
    { program: program({ c1: 0, c3: 0 }, misspelled) },
  );
  expect(runs[2]).toContain(
    "cluster c2 is neither deleted nor replaced, because the Platform's retain has c9, which the code does not declare",
  );
  expect(runs[2]).not.toContain("DELETE");
  expect(violations).toEqual([]);
});

describe("a name that an earlier apply has released", () => {
  const retaining = { retain: ["c3"] };
  const released = [
    { program: program({ c1: 0, c2: 0, c3: 0 }) },
    { program: program({ c1: 0, c2: 0 }, retaining) },
    { program: program({ c1: 1 }, retaining) },
  ] as const;

  test("is a reminder on the same machine", async () => {
    const { violations, endings, runs, deleted } = await played(...released);
    expect(endings.slice(0, 3)).toEqual(["succeeds", "succeeds", "succeeds"]);
    expect(runs[2]).toContain("retain has c3, which an earlier apply has released: remove it from retain");
    expect(deleted.sort()).toEqual(["/api/v1/clusters/c1", "/api/v1/clusters/c2"]);
    expect(violations).toEqual([]);
  });

  test("is not known on another machine", async () => {
    const { violations, runs } = await played(released[0], released[1], { ...released[2], computer: "new" });
    expect(runs[2]).toContain("remove it if an earlier apply has released the object");
    expect(runs[2]).not.toContain("DELETE");
    expect(violations).toEqual([]);
  });
});
