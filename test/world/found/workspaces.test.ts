import { played, program } from "./scripted";

/** Both workspaces have one folder of notes, and a destroy hook does not know its workspace. */
test.each(["terraform_data", "null_resource", "provider"] as const)(
  "an edit is not refused because another workspace has found the name taken: %s",
  async (engine) => {
    const before = program({}, { engine });
    const { violations, endings, runs } = await played(
      { program: before },
      { program: before, workspace: "other" },
      { program: program({}, { engine, provider: 1 }) },
    );
    expect(violations).toEqual([]);
    expect(runs[1]).toContain("the service already has capvs provider vsphere");
    expect(endings.slice(0, 3)).toEqual(["succeeds", "FAILS", "succeeds"]);
  },
);
