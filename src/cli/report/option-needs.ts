import type { Command } from "commander";
import { ConfigurationError } from "../../model/errors";

interface Need {
  /** The name of the option in the parsed options. */
  readonly option: string;
  /** The options that give it an effect. One of them must be given. */
  readonly needs: readonly string[];
  /** The value that the needed option must have. */
  readonly value?: string;
}

/** By command: options that have no effect without another one. */
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  get: [
    { option: "interval", needs: ["watch"] },
    { option: "import", needs: ["format"], value: "typescript" },
  ],
  review: [
    { option: "planFailed", needs: ["comment", "summary"] },
    { option: "pr", needs: ["comment"] },
    { option: "policyCommit", needs: ["policy", "allow"] },
  ],
};

/** An option without effect is refused, because its user expects the effect. @throws INVALID_SETTING */
export function refuseUnmetNeeds(command: Command): void {
  const isGiven = (option: string) => command.getOptionValueSource(option) === "cli";
  for (const { option, needs, value } of NEEDS[command.name()] ?? []) {
    const isMet = ([needed]: readonly string[]) => value === undefined || command.getOptionValue(needed!) === value;
    if (!isGiven(option) || (needs.some(isGiven) && isMet(needs))) continue;
    const flags = needs.map((needed) => flagOf(command, needed)).join(" or ");
    throw new ConfigurationError(
      "INVALID_SETTING",
      `command line: '${flagOf(command, option)}' must come with ${flags}${value === undefined ? "" : ` ${value}`}`,
    );
  }
}

function flagOf(command: Command, option: string): string {
  return command.options.find((each) => each.attributeName() === option)!.long!;
}
