import type { PlannedFault } from "../service";
import { playedWith, program } from "./scripted";

const fault = (first: PlannedFault["fault"]): readonly PlannedFault[] => [
  { method: "POST", of: "clusters", skip: 0, times: 1, fault: first },
  { method: "POST", of: "clusters", skip: 0, times: 5, fault: { kind: "drop" } },
];

describe.each(["terraform_data", "null_resource", "provider"] as const)("with %s", (engine) => {
  const having = (variant: 0 | 2, more = {}) => program({ c1: variant }, { engine, createSeconds: 30, ...more });

  test("an adoption names the field of an earlier, late request that the declaration does not have", async () => {
    const { violations, endings, runs } = await playedWith(
      { engine, createSeconds: 30 },
      { program: having(2), faults: fault({ kind: "late", seconds: 200 }) },
      { program: having(0), faults: fault({ kind: "drop" }) },
      { program: having(0, { adopt: true }), wait: 300 },
    );
    expect(endings.slice(0, 3)).toEqual(["FAILS", "FAILS", "succeeds"]);
    expect(runs[2]).toMatch(/cluster c1: adopted; \d+ fields could not be checked: enableCsi, controlPlane\.cpus/);
    expect(violations).toEqual([]);
  });
});
