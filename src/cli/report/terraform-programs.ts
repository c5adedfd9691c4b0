/** The programs that plan and apply: the chosen one, else the first of these that is there. */
export function terraformPrograms(chosen: string | undefined): readonly string[] {
  return chosen ? [chosen] : ["terraform", "tofu"];
}
