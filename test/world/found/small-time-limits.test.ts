import { played, program } from "./scripted";

/** A limit counts for the request. Polling that comes before it has its own time. */

const c1 = program({ c1: 0 }, { createSeconds: 8, deleteSeconds: 8 });
const lost = { method: "POST", skip: 1, times: 1, fault: { kind: "drop" } } as const;

test("an apply with a short createSeconds creates the object, although it first polls for that of a lost request", async () => {
  const { violations, endings, runs } = await played({ program: c1, faults: [lost] }, { program: c1 });
  expect(violations).toEqual([]);
  expect(endings.slice(0, 2)).toEqual(["FAILS", "succeeds"]);
  expect(runs[0]).toContain("The next apply on this machine looks it up and continues");
  expect(runs.join("\n")).not.toMatch(/ 0 attempts/);
});

test("a short deleteSeconds does not make a list that lacks an object for nine seconds prove that it is gone", async () => {
  const hidden = { view: { kind: "hide", name: "c1" }, seconds: 9 } as const;
  const { violations, endings, deleted } = await played({ program: c1 }, { program: { ...c1, clusters: {} }, view: hidden });
  expect(violations).toEqual([]);
  expect(endings.slice(0, 2)).toEqual(["succeeds", "succeeds"]);
  expect(deleted).toEqual(["/api/v1/clusters/c1"]);
});
