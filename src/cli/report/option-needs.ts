import type { Command } from "commander";
import { ConfigurationError } from "../../model/errors";

interface Need {
  /** The name of the option in the parsed options. */
  readonly option: string;
  /** The option that gives it an effect. */
  readonly needs: string;
  /** The value that the needed option must have. */
  readonly value?: string;
}

/** By command: options that have no effect without another one. */
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  get: [
    { option: "interval", needs: "watch" },
    { option: "import", needs: "format", value: "typescript" },
    { option: "providers", needs: "format", value: "typescript" },
  ],
  review: [
    { option: "pr", needs: "comment" },
    { option: "policyCommit", needs: "policy" },
  ],
};

/** An option without effect is refused, because its user expects the effect. @throws INVALID_SETTING */
export function refuseIncompleteOptions(command: Command): void {
  const isGiven = (option: string) => command.getOptionValueSource(option) === "cli";
  for (const { option, needs, value } of NEEDS[command.name()] ?? []) {
    const isMet = isGiven(needs) && (value === undefined || command.getOptionValue(needs) === value);
    if (!isGiven(option) || isMet) continue;
    throw new ConfigurationError(
      "INVALID_SETTING",
      `command line: '${flagOf(command, option)}' must come with ${flagOf(command, needs)}${value === undefined ? "" : ` ${value}`}`,
    );
  }
}

function flagOf(command: Command, option: string): string {
  return command.options.find((each) => each.attributeName() === option)!.long!;
}
