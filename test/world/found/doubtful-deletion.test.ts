import { played, program } from "./scripted";

/** A proxy answers the DELETE in the service's name, and a replica does not have the object yet. */
test.each([200, 404])("an object does not leave the state although a proxy answers its DELETE with %d", async (status) => {
  const { violations, runs, endings, deleted } = await played(
    { program: program({ c1: 0 }) },
    {
      program: program({}),
      faults: [{ method: "DELETE", skip: 0, times: 1, fault: { kind: "garbage", status, carriedOut: false } }],
      view: { view: { kind: "hide", name: "c1" }, seconds: 9, at: { before: "answered DELETE", nth: 1 } },
    },
  );
  expect(runs[1]).toContain("no longer listed; making sure for 10s");
  expect(endings).toEqual(["succeeds", "succeeds", "succeeds"]);
  expect(deleted).toEqual(["/api/v1/clusters/c1"]);
  expect(violations).toEqual([]);
});
