import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs, styleText } from "node:util";
import { seconds } from "./processes";
import { Bench, holds, type Measured, type Result, type Row } from "./row";
import { applyRows, callsPerObject, genericRow } from "./rows/apply";
import { coldStart } from "./rows/cold-start";
import { memory } from "./rows/memory";
import { plan } from "./rows/plan";
import { pluginStart } from "./rows/plugin-start";
import { providerPlanRows } from "./rows/provider-plan";
import { review } from "./rows/review";
import { reviewSynth } from "./rows/review-synth";
import { embeddedService } from "./rows/service";
import { synthesis } from "./rows/synth";
import { callsWhileWaiting, provisioning } from "./rows/waiting";
import { FULL, type Sizes, TINY } from "./sizes";

/**
 * Measures the figures of bench/README.md, as ratios of whole processes in one run. `--json FILE` writes the ratios as an
 * array of {@link Result}. `--only TEXT` runs the rows whose names contain the text. `--tiny` runs all rows within seconds, to
 * see that they work.
 */
const rows = (sizes: Sizes): readonly Row[] => [
  coldStart(sizes),
  provisioning(sizes),
  callsWhileWaiting(sizes),
  callsPerObject,
  synthesis(sizes),
  plan(sizes),
  pluginStart(sizes),
  ...applyRows(sizes),
  genericRow(sizes),
  ...providerPlanRows(sizes),
  review(sizes),
  reviewSynth(sizes),
  embeddedService(sizes),
  memory,
];

const { values } = parseArgs({
  options: { json: { type: "string" }, only: { type: "string" }, tiny: { type: "boolean", default: false } },
});

async function main(): Promise<void> {
  console.log(`${cpus().length} × ${cpus()[0]?.model}, node ${process.version}, load ${loadavg()[0]!.toFixed(1)} at the start\n`);
  const bench = new Bench();
  const results: Result[] = [];
  const began = performance.now();
  let missed = 0;
  const all = rows(values.tiny ? TINY : FULL);
  const selected = all.filter(({ name }) => name.includes(values.only ?? ""));
  if (selected.length === 0) {
    throw new Error(`no row has '${values.only}' in its name; the rows are:\n${all.map(({ name }) => name).join("\n")}`);
  }
  for (const row of selected) {
    const rowBegan = performance.now();
    const measured = await row.measure(bench);
    const met = holds(row, measured);
    if (!met) missed++;
    print(row, measured, met, performance.now() - rowBegan);
    results.push({ name: row.name, ratio: rounded(measured.ratio), goal: row.goal });
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`measured in ${seconds(performance.now() - began)}`);
  console.log(missed === 0 ? "every goal is met" : styleText("red", `${missed} of ${results.length} goals missed`));
}

function print(row: Row, { ratio, details }: Measured, met: boolean, milliseconds: number): void {
  const figure = ratio === null ? "–" : ratio.toFixed(2);
  const goal = row.goal === null ? "" : typeof row.goal === "number" ? `goal ≤ ${row.goal}` : row.goal;
  console.log(`${met ? styleText("green", "✔") : styleText("red", "✘ MISSED")} ${figure.padStart(7)}  ${row.name}  (${goal})`);
  // Rows that share a measurement take no time after the first.
  const took = milliseconds < 500 ? [] : [`measured in ${seconds(milliseconds)}`];
  for (const line of [...details, ...took]) console.log(styleText("dim", `             ${line}`));
}

const rounded = (ratio: number | null) => (ratio === null ? null : Math.round(ratio * 1000) / 1000);

main().catch((error: Error) => {
  console.error(error);
  // A service that a failed row did not stop would keep this process alive.
  process.exit(1);
});
