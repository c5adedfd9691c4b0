import { playedWith, program } from "./scripted";

test("an object that a killed apply created, and that a remote state lacks, is named when the code lacks it, too", async () => {
  const { violations, endings, runs } = await playedWith(
    { isRemote: true },
    { program: program({ c1: 0 }) },
    {
      program: program({ c1: 0, c3: 0 }),
      stop: { at: { before: "answered POST", nth: 1 }, how: "SIGKILL of Terraform" },
    },
    { program: program({ c1: 0, c2: 0 }) },
    { program: program({ c1: 0, c2: 0 }, { retain: ["capvs/clusters/c3"] }) },
  );
  expect(runs[2]).toContain("on the service but not in the state: capvs/clusters/c3");
  expect(runs[2]).toContain('retain: ["capvs/clusters/c3"] on the Platform');
  expect(endings).toEqual(["succeeds", "is killed", "FAILS", "succeeds", "succeeds"]);
  expect(violations).toEqual([]);
});
