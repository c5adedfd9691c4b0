import type { Program } from "../programs";
import { playedWith, program } from "./scripted";

const engine = "provider";
const [one, both] = [program({ c1: 0 }, { engine }), program({ c1: 0, c2: 0 }, { engine })];
const nothing: Program = { engine, clusters: {}, carrier: "nothing" };
/** The state may have lost the registration. */
const emptied: Program = { engine, clusters: {}, adopt: true };

test("a cluster that a killed replacement created is named when the Platform has left the code", async () => {
  const { violations, endings, runs } = await playedWith(
    { engine },
    { program: one },
    { program: program({ c1: 1 }, { engine }), stop: { at: { before: "answered POST", nth: 1 }, how: "SIGKILL of Terraform" } },
    { program: nothing, state: { act: "rm", name: "vsphere" } },
    { program: emptied },
    { program: one, operation: "destroy" },
    { program: { ...emptied, retain: ["c1"] } },
  );
  for (const run of runs.slice(2, 4)) {
    expect(run).toContain("[STILL_LIVE] on the service but not in the state: capvs/clusters/c1");
  }
  // It plans first what is declared.
  expect(runs[4]).toContain("the service already has cluster c1");
  expect(endings.slice(2, 6)).toEqual(["FAILS", "FAILS", "FAILS", "succeeds"]);
  expect(violations).toEqual([]);
});

test("a cluster that a remote state has is deleted although a killed replacement has created it", async () => {
  const { violations, endings, deleted } = await playedWith(
    { engine, isRemote: true },
    { program: one },
    { program: program({ c1: 1 }, { engine }), stop: { at: { before: "answered POST", nth: 1 }, how: "SIGKILL of Terraform" } },
    { program: one, operation: "destroy" },
  );
  expect(endings[2]).toBe("succeeds");
  expect(deleted).toHaveLength(3);
  expect(violations).toEqual([]);
});

test("an object that a killed apply created is named when the Platform has left the code", async () => {
  const { violations, endings, runs } = await playedWith(
    { engine },
    { program: one },
    { program: both, stop: { at: { before: "answered POST", nth: 1 }, how: "SIGKILL of Terraform" } },
    { program: both, operation: "plan", state: { act: "rm", name: "vsphere" } },
    // The state has only the block that waits.
    { program: nothing, state: { act: "rm", name: "c1" } },
    { program: { ...emptied, retain: ["c2"] } },
    { program: emptied },
  );
  expect(runs[3]).toContain("[STILL_LIVE] on the service but not in the state: capvs/clusters/c2");
  expect(runs[3]).toContain("Write the Platform again, because it has left the code");
  expect(endings.slice(3, 6)).toEqual(["FAILS", "succeeds", "succeeds"]);
  expect(violations).toEqual([]);
});

test("an apply of a saved plan that only changes a setting names what a killed apply has created since", async () => {
  const adopting = program({ c1: 0 }, { engine, adopt: true });
  const { violations, endings, runs } = await playedWith(
    { engine },
    { program: one },
    { program: adopting, operation: "plan" },
    { program: both, stop: { at: { before: "arrives POST", nth: 1 }, how: "SIGKILL of Terraform" } },
    { program: adopting, operation: "apply the plan" },
  );
  expect(runs[3]).toContain("[STILL_LIVE] on the service but not in the state: capvs/clusters/c2");
  expect(endings[3]).toBe("FAILS");
  expect(violations).toEqual([]);
});
