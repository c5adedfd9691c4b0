import { played, program } from "./scripted";

/** A misspelled entry of `retain` would delete the object that it should keep. */

const one = program({ c1: 0 });
const misspelled = { retain: ["c9"] };
const names = "the Platform's retain has c9, which names nothing in the code and nothing on the service";

test("stops a replacement, before anything is deleted", async () => {
  const { violations, runs, deleted } = await played({ program: one }, { program: program({ c1: 1 }, misspelled) });
  expect(runs[1]).toContain(`cluster c1 is neither deleted nor replaced, because ${names}; nothing was deleted`);
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
  expect(runs[1]).toContain(`${names}; nothing was sent`);
  expect(runs[1]).not.toContain("DELETE");
  expect(violations).toEqual([]);
});

test("stops the deletion of an object that came with -target, which the deletion guard does not know", async () => {
  const { violations, runs } = await played(
    { program: one },
    { program: program({ c1: 0, c2: 0 }), target: ["c2"] },
    { program: program({ c1: 0, c3: 0 }, misspelled) },
  );
  expect(runs[2]).toContain(`cluster c2 is neither deleted nor replaced, because ${names}`);
  expect(runs[2]).not.toContain("DELETE");
  expect(violations).toEqual([]);
});

describe("the entry of an object that an earlier apply has left on the service", () => {
  const retaining = { retain: ["c3"] };
  const released = [
    { program: program({ c1: 0, c2: 0, c3: 0 }) },
    { program: program({ c1: 0, c2: 0 }, retaining) },
    { program: program({ c1: 1 }, retaining), computer: "new" },
  ] as const;

  test("refuses nothing while the object lives, also on another machine", async () => {
    const { violations, endings, deleted } = await played(...released);
    expect(endings.slice(0, 3)).toEqual(["succeeds", "succeeds", "succeeds"]);
    expect(deleted.sort()).toEqual(["/api/v1/clusters/c1", "/api/v1/clusters/c2"]);
    expect(violations).toEqual([]);
  });

  test("refuses the next deletion when somebody has deleted the object", async () => {
    const [first, second, third] = released;
    const { violations, runs } = await played(first, second, { ...third, other: { act: "deletes", name: "c3", variant: 0 } });
    expect(runs[2]).toContain("the Platform's retain has c3, which names nothing in the code");
    expect(runs[2]).toContain("Remove it from retain, or correct it");
    expect(runs[2]).not.toContain("DELETE");
    expect(violations).toEqual([]);
  });
});
