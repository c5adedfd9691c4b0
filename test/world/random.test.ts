import { execute } from "../terraform/workspace";

/**
 * Random sequences, as `npm run simulate` plays them. The log of a finding is the error. Most seeds are fixed, so that a failure is
 * one of the change. One seed is new in each run, and the name of its test has it. Those with forecasts take longer, because `review`
 * needs the whole synth.
 */
const [SEQUENCES, NEAR, FORECASTS, DENSE, NEW] = [2_500, 1_000, 200, 200, 200];
const NEW_SEED = Date.now() % 1_000_000_000;

test.concurrent.each([
  ["hooks", 9_000_000, SEQUENCES, []],
  ["provider", 9_000_000, SEQUENCES, []],
  ["hooks", NEW_SEED, NEW, []],
  ["provider", NEW_SEED, NEW, []],
  ["hooks", 1, DENSE, ["--dense"]],
  ["provider", 1, DENSE, ["--dense"]],
  ["hooks", 1, NEAR, ["--near"]],
  ["provider", 1, NEAR, ["--near"]],
  ["hooks", 25_000, FORECASTS, ["--forecasts", "--scenes"]],
  ["provider", 25_000, FORECASTS, ["--forecasts", "--scenes"]],
])(
  "sequences violate no rule with %s, from seed %i, %i times, %j",
  async (engine, seed, sequences, more) => {
    const amount = ["--minutes", "60", "--sequences", String(sequences), ...more];
    const args = ["scripts/simulate.mjs", "--engine", engine, "--seed", String(seed), ...amount];
    const { status, output } = await execute(process.execPath, args, process.cwd(), {}, {});
    if (status !== 0) throw new Error(output);
    expect(output).toContain(`in ${sequences} sequences from seed ${seed}`);
    if (more.includes("--forecasts")) expect(output).toMatch(/^reviews: .*succeeds \d/m);
    console.log(output);
  },
  4_000_000,
);
