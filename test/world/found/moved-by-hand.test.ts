import { played, program } from "./scripted";

/** `terraform state mv` of an instance to the key of another object. Its destroy hook deletes the object whose name the state has. */

const one = program({ c1: 0 });
const moved = { act: "mv", name: "c1", to: "c2" } as const;

test.each([
  ["the apply would create it again", { program: one }],
  ["the apply would create another object at the key", { program: program({ c1: 0, c2: 0 }) }],
  ["-replace names the key", { program: program({ c1: 0, c2: 0 }), replace: ["c2"] }],
] as const)("an object that the code declares is not deleted: %s", async (_, step) => {
  const { violations, runs, endings, deleted } = await played({ program: one }, { ...step, state: moved });
  expect(runs[1]).toContain(
    `Remove the instance, which does not touch the service: terraform state rm 'terraform_data.capvs_clusters["c2"]'`,
  );
  // The last apply runs after the command of the message.
  expect(endings).toEqual(["succeeds", "FAILS", "FAILS", "succeeds"]);
  expect(deleted).toEqual([]);
  expect(violations).toEqual([]);
});

test("an object that the code does not declare is deleted", async () => {
  const { violations, endings, deleted } = await played({ program: one }, { program: program({ c2: 0 }), state: moved });
  expect(endings).toEqual(["succeeds", "succeeds", "succeeds"]);
  expect(deleted).toEqual(["/api/v1/clusters/c1"]);
  expect(violations).toEqual([]);
});
