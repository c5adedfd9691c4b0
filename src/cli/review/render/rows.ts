import { groupedBy } from "../../report/grouped-by";
import { joined, listed, phrase, plain, written } from "../../report/phrase";
import type { Row } from "../../report/rows";
import { isAffected, keyOf, type Dependent, type ObjectFinding } from "../judge/finding";
import { riskiestFirst } from "../../report/finding";
import type { Gate } from "../judge/gate";
import type { Review } from "../judge/review";
import { isWeakened, type SettingChange } from "../judge/settings-changes";
import { describeVerdict, reasons, settingMeaning, settingPhrase, sizePhrase, verdictName } from "./wording";

/** One object, several objects with the same cause, or a setting of a Platform. */
export interface ReviewRow extends Row {
  readonly stack: string;
  /** None for a setting. */
  readonly findings: readonly ObjectFinding[];
  /** Resources of others that go together with the objects. */
  readonly dependents: readonly Dependent[];
}

export const ROWS_SHOWN = 30;
/** Under one row. The others are counted. */
export const DEPENDENTS_SHOWN = 5;
/** From this number on, objects with the same cause share one row. */
const ALIKE = 4;
const NAMED = 3;

/** The worst first. */
export function rowsOf({ findings, settings }: Review, gate: Gate): ReviewRow[] {
  const denied = deniedBy(gate);
  const changing = findings.filter(isAffected);
  const groups = groupedBy(changing, (finding) => {
    const { stack, platform, type, kind, verdict, refused, risk, declared } = finding;
    const why = written(reasons(finding), (text) => JSON.stringify(text));
    return JSON.stringify([
      stack,
      platform,
      type,
      kind,
      verdict,
      refused,
      risk,
      declared,
      denied.objects.has(keyOf(finding)),
      why,
    ]);
  });
  const rows = [...groups.values()].flatMap((group) => (group.length < ALIKE ? group.map((one) => [one]) : [group]));
  return [
    ...rows.map((group) => objectRow(group, denied.objects.has(keyOf(group[0]!)))),
    ...settings.map((change) => settingRow(change, denied.settings.has(change))),
  ].sort(riskiestFirst);
}

/** The denied objects, settings and notes. Each has a row or a line of its own. */
export function deniedBy({ denials }: Gate) {
  return {
    objects: new Set(denials.flatMap((denial) => ("object" in denial ? [keyOf(denial)] : []))),
    settings: new Set(denials.flatMap((denial) => ("change" in denial ? [denial.change] : []))),
    notes: new Set(denials.flatMap((denial) => (denial.code === "NOTE" ? [denial.note] : []))),
  };
}

function objectRow(findings: readonly ObjectFinding[], denied: boolean): ReviewRow {
  const [first] = findings as readonly [ObjectFinding];
  const { stack, risk, kind, name } = first;
  const names = findings.map((finding) => finding.name);
  const object =
    findings.length === 1
      ? phrase`${plain(kind)} ${name}`
      : phrase`${plain(`${findings.length.toLocaleString("en")} ${kind}s`)}: ${listed(names, NAMED)}`;
  const [does, size] = [describeVerdict(first), sizePhrase(findings)];
  const happens = joined([...(does === "" ? [] : [plain(does)]), ...(size === undefined ? [] : [size])], ", ");
  return {
    stack,
    risk,
    verdict: verdictName(first),
    object,
    happens,
    why: reasons(first),
    denied,
    findings,
    dependents: dependentsOf(findings),
  };
}

function dependentsOf(findings: readonly ObjectFinding[]): Dependent[] {
  return [...new Map(findings.flatMap(({ dependents }) => dependents).map((each) => [each.address, each])).values()];
}

function settingRow(change: SettingChange, denied: boolean): ReviewRow {
  const { stack, platform, risk } = change;
  const object = platform === "" ? plain("Platform") : phrase`Platform ${platform}`;
  const verdict = isWeakened(change) ? "SETTING, weaker" : "SETTING";
  return {
    stack,
    risk,
    verdict,
    object,
    happens: settingMeaning(change),
    why: settingPhrase(change),
    denied,
    findings: [],
    dependents: [],
  };
}
