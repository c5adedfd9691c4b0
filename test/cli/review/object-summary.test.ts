import { objectSummary } from "../../../src/cli/review/judge/object-summary";

/** Triggers of each type, with the units that it declares. */
test.each([
  ["capvs", { cpus: "4", memoryMib: "8192", diskGib: "60" }, [20, 40, 300]],
  ["capbd", { cpus: "4", memory: "8192", diskGb: "60" }, [20, null, 300]],
  ["capov", { "cpu.cores": "2", "cpu.sockets": "2", "cpu.threads": "1", memoryMb: "8192", diskGb: "60" }, [20, 40, 300]],
  ["capyc", { cpus: "4", memorySize: "8Gi", diskSize: "60Gi" }, [20, 40, 300]],
  ["capcd", { diskSize: "60Gi", sizingPolicy: "small" }, [null, null, 300]],
  ["capos", { flavor: "m1", volumeSize: "60" }, [null, null, null]],
])("a cluster of %s takes as much as its nodes declare", (_, node, expected) => {
  const group = (name: string, count: string) =>
    Object.entries({ count, ...node }).map(([field, value]) => [`${name}.${field}`, value]);
  const triggers = Object.fromEntries([...group("controlPlane", "3"), ...group('workers["a.b"]', "2")]) as object;
  const summary = objectSummary({ type: "null_resource" }, { triggers }, undefined, () => false);
  expect([summary?.cpus, summary?.memoryGib, summary?.diskGib]).toEqual(expected);
});

test("a hidden size hides the total", () => {
  const triggers = { "controlPlane.count": "3", "controlPlane.cpus": "4", "controlPlane.diskGib": "60" };
  const summary = objectSummary({ type: "null_resource" }, { triggers }, undefined, (field) => field === "controlPlane.cpus");
  expect(summary).toMatchObject({ nodes: 3, cpus: null, diskGib: 180 });
});
