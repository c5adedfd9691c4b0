import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Counts, type CountsAsJson } from "./counts";
import { EXCEPTIONS } from "./judge";
import { keptFor, playNear } from "./neighbor";
import { Play } from "./play";
import type { Program } from "./programs";
import { replay, shrunk, written } from "./shrink";
import { HITS } from "./service";
import { ACTS, EFFECTS, STOPS, type Scope, type Sequence } from "./steps";

const USAGE = `Plays random sequences in the simulated world and judges them.

  --engine NAME     hooks, provider, null_resource or terraform_data (default: hooks)
  --seed S          the first seed (default: from the clock)
  --minutes M       how long to play (default: 1)
  --others          somebody else creates and deletes objects under the same names
  --at-once         two runs write one state at once; only what must hold even then is judged
  --forecasts       review and drift say what will happen
  --dense           long sequences in which most runs have a stop or a fault
  --rare FILE …     with --dense: what these files of --json count less often than 10,000 times comes more often
  --near            changed copies of the kept sequences instead of new ones
  --leave-out FILE  change no copy of this kept sequence
  --scenes          stacks have several Platforms and services
  --sequences N     end after so many sequences
  --only SEED       play this seed, and print its log
  --replay FILE     play the sequences of a file of --json; prints those that violate a rule, with exit code 1
  --no-shrink       do not look for the shortest sequence
  --save FOLDER     write the shortest sequence of each finding, as test/world/found keeps them
  --json FILE       write [{ engine, runs, seconds, findings, faults, moments, said }]
  --first           end at the first finding
  --counts          print how often each fault hit each kind of request, and each stop each moment
  --sum FILE …      print the runs and the counts of several files of --json
`;

const ENGINES: Readonly<Record<string, readonly Program["engine"][]>> = {
  hooks: ["terraform_data", "null_resource"],
  provider: ["provider"],
  null_resource: ["null_resource"],
  terraform_data: ["terraform_data"],
};

interface Finding {
  readonly rule: string;
  readonly seed: number;
  readonly text: string;
  count: number;
  sequence: Sequence;
}

interface Report {
  readonly engine: string;
  readonly runs: number;
  readonly seconds: number;
  readonly findings: readonly Finding[];
  readonly faults: CountsAsJson;
  readonly moments: CountsAsJson;
  /** How often each exception of the rules was used; with --forecasts, how often each review came with each outcome, and each repair. */
  readonly said: Readonly<Record<(typeof SAID)[number], Readonly<Record<string, number>>>>;
}

const SAID = ["exceptions", "reviews", "repairs"] as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: "string", default: "hooks" },
      seed: { type: "string" },
      minutes: { type: "string", default: "1" },
      others: { type: "boolean", default: false },
      "at-once": { type: "boolean", default: false },
      scenes: { type: "boolean", default: false },
      forecasts: { type: "boolean", default: false },
      dense: { type: "boolean", default: false },
      rare: { type: "boolean", default: false },
      near: { type: "boolean", default: false },
      "leave-out": { type: "string" },
      sequences: { type: "string", default: "Infinity" },
      only: { type: "string" },
      replay: { type: "string" },
      "no-shrink": { type: "boolean", default: false },
      save: { type: "string" },
      json: { type: "string" },
      first: { type: "boolean", default: false },
      counts: { type: "boolean", default: false },
      sum: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const engines = ENGINES[values.engine];
  if (values.help || !engines) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const scope: Scope = {
    engines,
    others: values.others,
    atOnce: values["at-once"],
    scenes: values.scenes,
    dense: values.dense,
    forecasts: values.forecasts,
    ...(values.rare && { weightOf: missingIn(positionals, values.engine) }),
  };
  if (values.sum) return printSum(positionals);
  if (values.replay !== undefined) return replayAll(values.replay);
  const kept = values.near ? keptFor(scope, values["leave-out"]) : [];
  const playOf = (seed: number) => (values.near ? playNear(kept, seed, scope) : written(seed, scope));
  if (values.only !== undefined) return printOne(await playOf(Number(values.only)));

  const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
  const findings = new Map<string, Finding>();
  const [faults, moments] = [new Counts(), new Counts()];
  const said = saidNothing();
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let [runs, sequences] = [0, 0];
  const isOver = () =>
    seconds() >= Number(values.minutes) * 60 || sequences >= Number(values.sequences) || (values.first && findings.size > 0);
  for (; !isOver(); sequences++) {
    const play = await playOf(first + sequences);
    runs += play.runs;
    faults.addAll(play.service.faultCounts.toJSON());
    moments.addAll(play.moments.toJSON());
    for (const what of SAID) add(said[what], play[what]);
    for (const { rule, text } of play.violations.slice(0, 1)) {
      const known = findings.get(rule);
      if (known) known.count++;
      else findings.set(rule, { rule, seed: play.seed, text, count: 1, sequence: play.sequence });
    }
  }
  const took = seconds();
  console.log(
    `${values.engine}: ${runs} runs of Terraform in ${sequences} sequences from seed ${first}, ${Math.round(runs / took)} runs per second`,
  );
  printSaid(said);
  if (values.counts) printCounts(faults, moments);
  for (const finding of findings.values()) {
    if (!values["no-shrink"]) finding.sequence = await shrunk(finding.sequence, finding.rule);
    console.log(`\n${finding.rule}: ${finding.text}\nin ${finding.count} sequences; the first one has --only ${finding.seed}`);
    printOne(await replay(finding.sequence));
    if (values.save) save(values.save, finding);
  }
  if (values.json) {
    const found = [...findings.values()];
    const saidJson = Object.fromEntries(SAID.map((what) => [what, Object.fromEntries(said[what])])) as Report["said"];
    const counts = { faults: faults.toJSON(), moments: moments.toJSON(), said: saidJson };
    const report: Report[] = [{ engine: values.engine, runs, seconds: took, findings: found, ...counts }];
    writeFileSync(values.json, JSON.stringify(report, undefined, 2));
  }
  process.exitCode = findings.size > 0 ? 1 : 0;
}

function printCounts(faults: Counts, moments: Counts): void {
  const acts = [...STOPS, ...ACTS.map((act) => `somebody ${act}`)];
  const atMoments = Object.fromEntries(acts.map((act) => [act, EFFECTS]));
  console.log([...faults.lines("fault", HITS), "", ...moments.lines("before", atMoments)].join("\n"));
}

function saidNothing(): Record<(typeof SAID)[number], Map<string, number>> {
  return { exceptions: new Map(), reviews: new Map(), repairs: new Map() };
}

function printSaid(said: Readonly<Record<(typeof SAID)[number], ReadonlyMap<string, number>>>): void {
  for (const what of SAID) if (said[what].size > 0) console.log(`${what}: ${told(said[what])}`);
  const unused = Object.keys(EXCEPTIONS).filter((each) => !said.exceptions.has(each));
  if (unused.length > 0) console.log(`exceptions never used: ${unused.join(", ")}`);
}

function reportsIn(files: readonly string[]): readonly Report[] {
  return files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")) as Report[]);
}

function missingIn(files: readonly string[], engine: string): NonNullable<Scope["weightOf"]> {
  const counts = new Counts();
  for (const report of reportsIn(files)) {
    if (report.engine !== engine) continue;
    counts.addAll(report.faults);
    counts.addAll(report.moments);
  }
  return (stopOrFault, at) => Math.max(0, 1 - counts.of(stopOrFault, at) / 10_000);
}

function printSum(files: readonly string[]): void {
  const reports = reportsIn(files);
  const [faults, moments] = [new Counts(), new Counts()];
  const runs = new Map<string, number>();
  const said = saidNothing();
  for (const report of reports) {
    add(runs, new Map([[report.engine, report.runs]]));
    faults.addAll(report.faults);
    moments.addAll(report.moments);
    for (const what of SAID) add(said[what], new Map(Object.entries(report.said[what])));
  }
  console.log(`runs: ${told(runs)}`);
  printSaid(said);
  printCounts(faults, moments);
}

async function replayAll(file: string): Promise<void> {
  for (const { findings } of JSON.parse(readFileSync(file, "utf8")) as Report[]) {
    for (const { sequence } of findings) {
      const play = await replay(sequence);
      if (play.violations.length === 0) continue;
      printOne(play);
      process.exitCode = 1;
    }
  }
}

function printOne({ setup, log, violations }: Play): void {
  console.log(`  ${JSON.stringify(setup)}`);
  for (const line of log) console.log(`  ${line}`);
  for (const { rule, text } of violations) console.log(`  => ${rule}: ${text}`);
}

function save(folder: string, { rule, seed, sequence }: Finding): void {
  const name = rule.replace(/[^a-z0-9]+/gi, "-").toLowerCase();
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}-${seed}.json`, `${JSON.stringify({ about: "", rule, sequence }, undefined, 2)}\n`);
}

function add(all: Map<string, number>, some: ReadonlyMap<string, number>): void {
  for (const [name, count] of some) all.set(name, (all.get(name) ?? 0) + count);
}

function told(counts: ReadonlyMap<string, number>): string {
  const often = [...counts].sort(([, one], [, other]) => other - one);
  return often.map(([name, count]) => `${name} ${count}`).join(", ");
}

void main();
