import { table } from "../support/docs-table";
import { doctorLines } from "./doctor-lines";

/** Subjects that are not literals in the code, as the page has them. */
const SUBJECTS: Readonly<Record<string, string>> = {
  SUBJECT: "Terraform provider",
  place: "environment variable NAME, file PATH",
  program: "terraform, tofu",
  'candidates.join(" or ")': "terraform, tofu",
};

test("the table of doctor has each line that is not good, with its marks and its code", () => {
  const lines = doctorLines().map(({ subject, mark, code }) => `${SUBJECTS[subject] ?? subject} | ${mark} | ${code}`);
  const rows = table("docs/troubleshooting.md", "| line | mark | doctor has found | code |");
  const open = [...lines];
  const said = rows.map(([line, mark, , code]) => {
    const own = `${line} | ${mark} | ${code}`;
    // The page may name the code of the only refusal that is possible.
    const found = open.includes(own) || code === "" ? own : `${line} | ${mark} | any`;
    if (open.includes(found)) open.splice(open.indexOf(found), 1);
    return found;
  });
  expect(said.sort()).toEqual(lines.sort());
});
