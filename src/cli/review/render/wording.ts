import { counted, joined, listed, phrase, phrases, plain, tallied, type Phrase } from "../../report/phrase";
import { bounded } from "../../../model/printable";
import {
  DELETED,
  isRefused,
  KEPT,
  type Dependent,
  type FieldChange,
  type ObjectFinding,
  type Reason,
  type Risk,
  type Verdict,
} from "../judge/finding";
import { capacityChange } from "../judge/capacity";
import type { Denial, Gate } from "../judge/gate";
import { isSparing, type Note } from "../judge/note";
import { isWeakened, type SettingChange } from "../judge/settings-changes";
import { inTotal, type Counts, type OtherResources } from "../judge/other-resources";
import { hasChanges, type Review } from "../judge/review";

/** The other changed fields are counted. */
const FIELDS_NAMED = 3;
const VALUE_CHARACTERS = 60;

/** The end of a sentence about the object. */
export function describeVerdict(finding: ObjectFinding): string {
  const { verdict, kind, risk, declared, reasons: because } = finding;
  const cluster = kind === "cluster";
  const lost = {
    DESTROY: cluster ? "deleted with everything that runs on it" : "registration deleted",
    REPLACE: cluster ? "deleted with everything that runs on it, then created empty" : "registration deleted, then created again",
  };
  switch (verdict) {
    case "UNCHANGED":
      return "nothing";
    case "MOVED":
      return "gets another address in the state; the service is not called";
    case "CREATE":
      return cluster ? "created" : "registered";
    case "ADOPT":
      return "adopted if it exists and matches, else created";
    case "RETAIN":
      return "left on the service and removed from the state";
    case "STATE-ONLY":
      return "changed in the state only; the service is not called";
    case "PROTECTED":
      return declared && because.some(({ code }) => code === "PROTECTED" || code === "ON_ANOTHER_PLATFORM")
        ? `this apply will fail while it exists; otherwise ${lost[refused(finding)]}`
        : `this apply will fail; otherwise ${lost[refused(finding)]}`;
    case "IN-USE":
      return `this apply will fail, because clusters use it; otherwise ${lost[refused(finding)]}`;
    case "UNKNOWN":
      return because.some(({ code }) => code === "TOKENS")
        ? "stays as it is, or is replaced: only a plan can tell"
        : "unknown to this version of cluster-platform; read Terraform's own plan";
    case "DUPLICATE":
      return risk === "critical" ? "created again without being deleted" : "created again, or refused if it still exists";
    case "ORPHAN":
      return "dropped from the state without being deleted";
    case "DESTROY":
    case "REPLACE":
      return lost[verdict];
  }
}

/** What the reader sees as the verdict. A refused object shows what the apply would do. */
export function verdictName(finding: ObjectFinding): string {
  return isRefused(finding) ? `${refused(finding)}, refused` : finding.verdict;
}

function refused({ declared }: ObjectFinding): "REPLACE" | "DESTROY" {
  return declared ? "REPLACE" : "DESTROY";
}

/** The size of clusters that are created or lost, if the plan shows it. */
export function sizePhrase(findings: readonly ObjectFinding[]): Phrase | undefined {
  const [first] = findings as readonly [ObjectFinding];
  if (KEPT.has(first.verdict)) return undefined;
  const verdict = isRefused(first) ? refused(first) : first.verdict;
  const [before, after] = [sizeOf(findings.map((finding) => finding.before)), sizeOf(findings.map((finding) => finding.after))];
  if (verdict === "REPLACE") return sizeParts(before, after);
  return verdict === "CREATE" || verdict === "ADOPT"
    ? sizeParts(after, after)
    : (sizeParts(before, before) ?? sizeParts(after, after));
}

interface Size {
  readonly nodes: string | undefined;
  readonly version: string | undefined;
  readonly provider: string | undefined;
}

function sizeOf(sizes: readonly ObjectFinding["before"][]): Size {
  const same = (values: readonly (string | null | undefined)[]) =>
    new Set(values).size === 1 ? (values[0] ?? undefined) : undefined;
  const nodes = sizes.reduce((sum, size) => sum + (size?.nodes ?? NaN), 0);
  return {
    nodes: Number.isFinite(nodes) ? String(nodes) : undefined,
    version: same(sizes.map((size) => size?.version)),
    provider: same(sizes.map((size) => size?.provider)),
  };
}

function sizeParts(before: Size, after: Size): Phrase | undefined {
  const sides = (one: string | undefined, other: string | undefined, sidePhrase: (text: string) => Phrase) => {
    if (one === other) return one === undefined ? undefined : sidePhrase(one);
    const [left, right] = [one, other].map((side) => (side === undefined ? plain("not shown") : sidePhrase(side))) as [
      Phrase,
      Phrase,
    ];
    return phrase`${left} → ${right}`;
  };
  const nodes = sides(before.nodes, after.nodes, plain);
  const provider = sides(before.provider, after.provider, (text) => phrase`${text}`);
  const parts = [
    nodes && phrase`${nodes} ${plain((after.nodes ?? before.nodes) === "1" ? "node" : "nodes")}`,
    sides(before.version, after.version, (text) => phrase`${text}`),
    provider && phrase`on ${provider}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? joined(parts, ", ") : undefined;
}

/** `+16 vCPU, +32 GiB memory`. */
export function capacityPhrase(findings: readonly ObjectFinding[]): string | undefined {
  const parts = Object.entries(capacityChange(findings)).map(([resource, change]) => {
    return `${change > 0 ? "+" : "−"}${AMOUNT.format(Math.abs(change))} ${UNITS[resource as keyof typeof UNITS]}`;
  });
  return parts.length > 0 ? parts.join(", ") : undefined;
}

const AMOUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const UNITS = { cpus: "vCPU", memoryGib: "GiB memory", diskGib: "GiB disk" } as const;

/** `deletionProtection a → b`. */
export function settingPhrase({ setting, before, after, objects }: SettingChange): Phrase {
  const namesPhrase = (texts: readonly string[] | null) => {
    if (texts === null) return plain("not shown");
    return texts.length === 0 ? plain("not set") : listed(texts, 5);
  };
  return objects === undefined
    ? phrase`${setting} ${namesPhrase(before)} → ${namesPhrase(after)}`
    : phrase`${setting} is now ${after?.length === 0 ? plain("empty") : namesPhrase(after)}`;
}

export function settingMeaning(change: SettingChange): Phrase {
  const { setting, risk, objects } = change;
  if (objects === undefined) return plain(meaning(change));
  return setting === "deletionProtection" && risk === "high"
    ? phrase`no longer protects ${listed(objects, 5)}`
    : phrase`now protects ${listed(objects, 5)}`;
}

function meaning({ setting, risk }: SettingChange): string {
  switch (setting) {
    case "deletionProtection":
      return risk === "high" ? "protects less than before" : "protects more than before";
    case "allowDeletion":
      return risk === "high" ? "allows deletions that this plan does not make" : "allows fewer deletions than before";
    case "retain":
      return risk === "high" ? "will leave objects on the service that this plan keeps" : "leaves fewer objects on the service";
    case "adopt":
      return "which existing objects are adopted";
    case "url":
      return "the token and every request go to another address";
    case "insecureSkipVerify":
      return risk === "high"
        ? "any certificate is accepted: an attacker on the network can steal the token"
        : "certificates are verified";
    case "allowPlainHttp":
      return risk === "high" ? "the token may be sent unencrypted" : "the token is only sent encrypted";
    case "caFile":
      return "other certificate authorities are trusted";
    case "createSeconds":
    case "readySeconds":
    case "deleteSeconds":
    case "pollSeconds":
      return "how long the hooks try and wait";
    default:
      return "how the service is called";
  }
}

/** Adds the changed fields if no reason names them. */
export function reasons(finding: ObjectFinding): Phrase {
  const reasons = finding.reasons.map((reason) => reasonPhrase(reason, finding));
  const namesFields = finding.reasons.some(({ code }) => NAMES_FIELDS.has(code));
  const along = namesFields || finding.changes().length === 0 ? [] : [changesPhrase(finding.changes())];
  const wasProtected = finding.unprotected && DELETED.has(finding.verdict) ? [phrase`it was protected until this plan`] : [];
  return joined([...reasons, ...along, ...wasProtected], "; ");
}

/** Reasons that name the changed fields, or with which all fields change. */
const NAMES_FIELDS: ReadonlySet<string> = new Set<Reason["code"]>(["FIELDS_CHANGED", "NEW", "GONE", "IMPORTED"]);

function reasonPhrase(reason: Reason, finding: ObjectFinding): Phrase {
  switch (reason.code) {
    case "NEW":
      return phrase`new in the code`;
    case "REMOVED":
      return phrase`removed from the code`;
    case "DESTROY_ALL":
      return phrase`planned by destroy`;
    case "FIELDS_CHANGED":
      return changesPhrase(finding.changes());
    case "REPLACE_REQUESTED":
      return phrase`replacement was requested (-replace)`;
    case "REPLACE_TRIGGERED":
      return phrase`replace_triggered_by`;
    case "TAINTED":
      if (finding.engine === "provider") return phrase`tainted`;
      if (finding.declared)
        return phrase`tainted, because its create did not finish: Terraform skips its destroy hook and runs its create hook again`;
      return phrase`tainted, because its create did not finish: Terraform skips its destroy hook`;
    case "LOOKED_FOR":
      return phrase`the orphan check fails the apply if it still exists`;
    case "BLOCK_REMOVED":
      return phrase`its block was removed from the configuration together with its destroy hook`;
    case "NO_DESTROY_HOOK":
      return phrase`its block has no destroy hook`;
    case "CREATE_BEFORE_DESTROY":
      return finding.engine === "provider"
        ? phrase`create_before_destroy needs two objects with one name: the apply fails and deletes nothing`
        : phrase`create_before_destroy makes Terraform skip its destroy hook`;
    case "DEPOSED":
      return phrase`a deposed copy of it leaves the state without its destroy hook`;
    case "RETIRED":
      return phrase`removed from the code, and a removed block keeps its destroy hook`;
    case "ADOPTS":
      return phrase`adopt is declared`;
    case "ADOPTS_OLD":
      return phrase`adopt is declared: unless the service's lists show a difference, the state takes the declared values, although the object does not have them`;
    case "RETAINED":
      return phrase`the Platform retains it`;
    case "FORGOTTEN":
      return phrase`a removed block or its lifecycle says destroy = false`;
    case "NAME_TAKEN":
      return finding.engine === "provider"
        ? phrase`its name will be in use, so the create fails unless adopt is declared`
        : phrase`its name will be in use, so the create hook fails unless adopt is declared`;
    case "ALLOWED":
      return phrase`allowDeletion names it`;
    case "PROTECTED":
      return phrase`deletionProtection covers it`;
    case "ALLOWED_BY":
      return phrase`${reason.line} on the Platform would allow it`;
    case "ENGINE_SWITCHED":
      return phrase`the code declares it with another type of resource, and its destroy hook refuses the change`;
    case "NO_DECLARATION":
      return phrase`it has no declaration in the state, as after terraform import: its destroy hook refuses, and says how to remove the instance`;
    case "STATE_ONLY":
      return finding.engine === "provider" ? phrase`an update in place sends nothing` : phrase`an update in place runs no hook`;
    case "ATTRIBUTES":
      return phrase`an update in place of ${listed(reason.fields, 5)} sends nothing`;
    case "TOKENS":
      return reason.fields.includes("*")
        ? phrase`only Terraform can evaluate its declaration`
        : phrase`only Terraform can evaluate ${listed(reason.fields, 5)}`;
    case "LEAVES_HOOKS":
      return phrase`it was at ${reason.address}; the Terraform provider takes it over from the hooks and sends nothing`;
    case "LEAVES_PROVIDER":
      return phrase`the hooks take it over from the Terraform provider: its create hook at ${reason.address} adopts it and sends nothing`;
    case "GONE":
      return phrase`somebody deleted it on the service, and the code still declares it`;
    case "DROPPED":
      return finding.declared
        ? phrase`it is gone from the service, and the apply removes it from the state, although the code declares it`
        : phrase`it is gone from the service, and the apply removes it from the state`;
    case "RENAMED":
      return phrase`its block now declares ${reason.object}`;
    case "NAME_UNKNOWN":
      return phrase`its name is known after apply`;
    case "PLATFORM_UNKNOWN":
      return phrase`the state has it at ${reason.address}, as after terraform state mv, and a plan does not show which Platform removes it there`;
    case "FOREIGN_PROVIDER":
      return phrase`its provider is ${reason.source} instead of this package's own`;
    case "SENSITIVITY":
      return phrase`the sensitive mark changed: ${listed(reason.fields, 5)}`;
    case "IMPORTED":
      return phrase`imported into the state`;
    case "IN_USE":
      return phrase`used by ${listed(reason.clusters, 5)}`;
    case "MOVED_FROM":
      return phrase`it was at ${reason.address}`;
    case "MOVED_AWAY":
      return phrase`its instance moves to ${reason.address}, which does not delete it`;
    case "KEY_OF_ANOTHER":
      return phrase`its instance in the state has the key of ${reason.object}`;
    case "NAME_DIFFERS":
      return phrase`the key of its instance and the name in its triggers differ: ${reason.name}`;
    case "CREATED_AT":
      return phrase`now declared at ${reason.address}`;
    case "ON_ANOTHER_PLATFORM":
      return phrase`now declared on another Platform at ${reason.address}: its destroy hook refuses to delete it; retain it here, and move it or adopt it there`;
    case "AT_ANOTHER_ADDRESS":
      return phrase`the code declares it at ${reason.address}: its destroy hook refuses to delete it, and says how to correct the state`;
    case "FOREIGN_HOOK":
      return phrase`its block ${reason.problem}`;
    case "ACTIONS":
      return phrase`its actions are ${listed(reason.actions)}`;
  }
}

function changesPhrase(changes: readonly FieldChange[]): Phrase {
  if (changes.length === 0) return phrase`Terraform cannot update it in place, although no declared field differs`;
  const named = joined(changes.slice(0, FIELDS_NAMED).map(changePhrase), ", ");
  const more = changes.length - FIELDS_NAMED;
  return more > 0 ? phrase`${named} and ${plain(counted(more, "more field"))}` : named;
}

function changePhrase(change: FieldChange): Phrase {
  if (change.field === "*") return phrase`its declaration is known after apply`;
  if (change.hidden) return phrase`${change.field} (hidden)`;
  const { before, after } = shownValues(change, VALUE_CHARACTERS);
  return phrase`${change.field} ${before} → ${after}`;
}

/** Long values are cut to the part that differs. */
export function shownValues(
  { before, after, unknown, hidden, notSet }: FieldChange,
  characters: number,
): { before: Phrase; after: Phrase } {
  const [one, other] = before !== null && after !== null ? differing(before, after, characters) : [before, after];
  const valuePhrase = (value: string | null) => {
    if (value === null) return plain("not set");
    return value === "" ? plain("empty") : phrase`${bounded(value, characters)}`;
  };
  const later = plain(hidden ? "hidden, known after apply" : "known after apply");
  if (hidden) {
    const sides = {
      before: { before: plain("not set"), after: plain("hidden") },
      after: { before: plain("hidden"), after: plain("not set") },
      neither: { before: plain("hidden"), after: plain("hidden, changed") },
    }[notSet ?? "neither"];
    return unknown ? { ...sides, after: later } : sides;
  }
  return { before: valuePhrase(one), after: unknown ? later : valuePhrase(other) };
}

/** If a value is too long, leaves out the beginning that both values share. */
function differing(before: string, after: string, characters: number): [string, string] {
  const longest = Math.max([...before].length, [...after].length);
  if (longest <= characters) return [before, after];
  const [one, other] = [[...before], [...after]];
  let common = 0;
  while (common < one.length && one[common] === other[common]) common++;
  const from = Math.max(0, common - 10);
  const cut = (text: string[]) => (from > 0 ? `…${text.slice(from).join("")}` : text.join(""));
  return [cut(one), cut(other)];
}

const HAPPENED: Readonly<Record<Exclude<Verdict, "UNCHANGED">, string>> = {
  REPLACE: "replaced",
  DESTROY: "destroyed",
  ORPHAN: "orphaned",
  DUPLICATE: "created again",
  UNKNOWN: "unclear",
  "IN-USE": "refused as in use",
  PROTECTED: "refused as protected",
  "STATE-ONLY": "changed in the state only",
  RETAIN: "left on the service",
  ADOPT: "adopted",
  CREATE: "created",
  MOVED: "moved",
};

/** `1 cluster replaced, 2 providers created`, the worst first. */
export function summary(review: Review): string {
  const parts = tallied(
    review.findings.flatMap(({ kind, verdict }) => (verdict === "UNCHANGED" ? [] : [{ kind, what: HAPPENED[verdict] }])),
  );
  const weakened = review.settings.filter(isWeakened).length;
  if (weakened > 0) parts.push(`${counted(weakened, "setting")} weakened`);
  const { delete: deleted } = inTotal(review.others);
  if (deleted > 0) parts.push(`${counted(deleted, "other resource")} deleted`);
  const changes = parts.length > 0 ? parts.join(", ") : hasChanges(review) ? "no provider or cluster changes" : "no changes";
  const failed = review.stacks.filter(({ errored }) => errored).length;
  if (failed === 0) return changes;
  return `${review.stacks.length === 1 ? "the plan" : counted(failed, "plan")} failed; ${parts.length > 0 ? changes : `${changes} shown`}`;
}

/** `1 replace, 2 create, 5 unchanged`. */
export function counts(byVerdict: Review["stacks"][number]["counts"]): string {
  const words = Object.entries(byVerdict).map(([verdict, count]) => `${count} ${verdict.toLowerCase()}`);
  return words.join(", ") || "the plan names no provider and no cluster";
}

/** What is wrong with the plan of a stack. */
export function lackOf({ errored, complete }: Review["stacks"][number]): "failed plan" | "incomplete plan" | undefined {
  return errored ? "failed plan" : complete ? undefined : "incomplete plan";
}

/** One sentence each for failed plans, refused objects, lost clusters and orphaned objects. */
export function losses({ findings, stacks, notes }: Review, limit: number): Phrase[] {
  const named = (lost: readonly ObjectFinding[]) =>
    phrases(
      lost.map(({ name, stack }) => (stacks.length > 1 ? phrase`${name} (${stack})` : phrase`${name}`)),
      limit,
    );
  const failed = stacks.filter(({ errored }) => errored);
  const isSpared = ({ stack, platform }: ObjectFinding) =>
    failed.some(({ name }) => name === stack) ||
    notes.some((note) => isSparing(note) && note.stack === stack && note.platform === platform);
  const deleted = findings.filter(({ verdict, kind }) => kind === "cluster" && DELETED.has(verdict));
  const guarded = findings.filter(
    (finding) => finding.kind === "cluster" && finding.verdict === "PROTECTED" && isSpared(finding),
  );
  const [spared, lost] = [[...guarded, ...deleted.filter(isSpared)], deleted.filter((finding) => !isSpared(finding))];
  // For orphans of lower risk, the orphan check tells whether they live.
  const orphaned = findings.filter(({ verdict, risk }) => verdict === "ORPHAN" && risk === "critical");
  const stopping = findings.filter((finding) => isRefused(finding) && !isSpared(finding));
  const elsewhere = notes
    .filter((note) => note.code === "USED_ELSEWHERE" || note.code === "TAKEN_ELSEWHERE")
    .map(({ object }) => phrase`${object}`);
  const failing = [...(stopping.length > 0 ? [named(stopping)] : []), ...elsewhere];
  return [
    ...(failed.length > 0
      ? [
          stacks.length === 1
            ? phrase`The plan failed, so nobody can apply it. Changes may be missing from it.`
            : phrase`${phrases(
                failed.map(({ name }) => phrase`${name}`),
                limit,
              )}: the plan failed, so nobody can apply it. Changes may be missing from it.`,
        ]
      : []),
    ...(failing.length > 0 ? [phrase`This apply will fail at ${joined(failing, ", ")}.`] : []),
    ...(lost.length > 0 ? [phrase`Everything that runs on ${named(lost)} will be lost.`] : []),
    ...(spared.length > 0
      ? [
          phrase`This apply will fail before it deletes ${named(spared)}. An apply that does not fail would lose everything that runs there.`,
        ]
      : []),
    ...(orphaned.length > 0
      ? [phrase`Terraform will no longer manage ${named(orphaned)}: nothing deletes these objects from the service.`]
      : []),
  ];
}

/** @param several whether the review has several stacks */
export function notePhrase(note: Note, several: boolean): Phrase {
  const text = noteItself(note);
  return several && "stack" in note ? phrase`${note.stack}: ${text}` : text;
}

const COMPARED = {
  both: "compared two programs without a plan",
  base: "only the first program has this stack, so this is what a destroy of it would do",
  head: "only the second program has this stack, so everything is created",
} as const;

function noteItself(note: Note): Phrase {
  switch (note.code) {
    case "SYNTH_ONLY":
      return phrase`${plain(COMPARED[note.stackIn])}: this review assumes that the first program is applied, and knows neither the state, nor drift, nor the values of expressions. Read the review of a real plan before an apply`;
    case "INCOMPLETE":
      return phrase`the plan is incomplete (-target, or deferred changes), and the rest is not reviewed`;
    case "PLAN_FAILED": {
      const missing = note.missing.length === 0 ? plain("") : phrase` It may lack changes of ${listed(note.missing, 5)}.`;
      return phrase`the plan failed, so Terraform and OpenTofu refuse to apply it.${missing} The output of the plan says why it failed, and which changes are refused`;
    }
    case "SETTINGS_UNKNOWN":
      return phrase`the plan does not show which objects the Platform protects and retains; deletions may be refused, or may leave objects on the service`;
    case "HOOKS_NOT_VERIFIED":
      return plain(unverified(note));
    case "FOREIGN_PROVIDER":
      return phrase`${listed(note.addresses, 3)}: the provider is ${note.source} instead of this package's own, so this review cannot tell what an apply does there`;
    case "UNKNOWN_RESOURCES":
      return phrase`${listed(note.addresses, 3)}: this version of cluster-platform does not know this type of resource; read Terraform's own plan, or use the version that synthesized the stack`;
    case "ACTION":
      return phrase`the apply invokes ${note.address}${note.trigger === null ? plain("") : phrase` for ${note.trigger}`}: this review cannot tell what the action does`;
    case "UNKNOWN_PARTS":
      return phrase`the plan has ${listed(note.parts, 5)}, which this version of cluster-platform does not know; read Terraform's own plan`;
    case "DRIFT":
      return phrase`${listed(note.objects, 5)}: live values differ from the declaration, and this plan does not change that; cluster-platform drift shows the differences`;
    case "OTHER_HOOKS":
      return phrase`${note.address} ${note.problem}: this review cannot tell what an apply runs there`;
    case "FOREIGN":
      return phrase`FOREIGN: ${note.address} ${note.problem}: this review cannot tell what an apply does there. A policy allows it with the digest ${plain(note.digest)}`;
    case "FOREIGN_ALLOWED":
      return phrase`${note.address} ${note.problem}: the policy allows it${note.why === undefined ? plain("") : phrase` (${note.why})`}`;
    case "REMOVED_BLOCKS_UNSEEN":
      return phrase`if a RetiredPlatform replaces the Platform, the destroy hooks do run: a plan does not show that; use --stack DIR`;
    case "FAILED_CHECKS":
      return phrase`checks of the configuration that failed: ${plain(String(note.count))}`;
    case "OUTPUTS":
      return phrase`output values that change: ${plain(String(note.count))}`;
    case "SUPPORT_RESOURCES":
      return phrase`changes of the Platform's own resources (deletion guard, orphan check, readiness): ${plain(String(note.count))}`;
    case "SECRETS":
      return phrase`the apply needs these secrets to create the objects: ${listed([...note.variables, ...note.files], 20)}`;
    case "REFUSED_AS_PROTECTED":
      return phrase`this apply will fail before it deletes anything${ofPlatform(note.platform)}: deletionProtection covers ${listed(note.names, 5)}. To allow the deletion, write ${note.allowedBy ?? ""} on the Platform`;
    case "REFUSED_AS_DECLARED_ELSEWHERE":
      return phrase`this apply will fail before it deletes anything${ofPlatform(note.platform)}: another Platform of the code declares ${listed(note.names, 5)}. To move an object, write its name into the retain of the Platform that it leaves`;
    case "REFUSED_AS_RETAIN_UNKNOWN":
      return phrase`retain names ${listed(note.names, 5)}, which neither state nor code has: this apply will fail before it deletes anything${ofPlatform(note.platform)}, unless an earlier apply on the same machine has released the object. Correct the name, or remove it if its apply has succeeded`;
    case "STAYS_DELETED":
      return phrase`the apply deletes ${listed(note.objects, 5)}, and then fails at ${listed(note.refused, 5)} before it creates anything again: the deleted objects stay deleted until an apply succeeds. First remove the refused change from the plan`;
    case "REGISTRATION_FIRST":
      return phrase`the registration of ${listed(note.providers, 5)} (${plain(note.type)}) comes between deletion and re-creation of ${listed(note.clusters, 5)}: if it fails, the clusters stay deleted until an apply succeeds. Register first, in an apply of its own`;
    case "USED_ELSEWHERE":
      return phrase`${note.object} is used by ${listed(note.clusters, 5)} of ${listed(note.stacks, 5)}: if both stacks use one service, this apply will fail before it sends anything for the provider`;
    case "TAKEN_ELSEWHERE":
      return phrase`${note.object} is created without adopt, and ${listed(note.stacks, 5)} has it: if both stacks use one service, this apply will fail because the name is taken. To hand the object over, retain it there and declare adopt: true here. A plan does not show CLUSTER_PLATFORM_ADOPT, with which the apply may pass`;
    case "HANDED_OVER":
      return phrase`${note.object} goes from ${note.from}, which retains it, to ${note.to}, which adopts it`;
    case "RECOGNIZED":
      return phrase`recognized as this package's own: ${plain(counted(note.blocks, "block"))}${plain(note.program ? " and the hook program" : "")}`;
    case "SERVICE": {
      const name = note.platform === "" ? plain("") : phrase` ${note.platform}`;
      const of = note.isNew ? phrase`new Platform${name}: its service` : phrase`the service${ofPlatform(note.platform)}`;
      return phrase`${of} is ${note.url ?? plain("what CLUSTER_PLATFORM_URL says on the machine that applies")}`;
    }
    case "LOOKS_RENAMED":
      return phrase`${note.object} leaves, and ${note.successor} comes with the same ${note.field}: this looks like a rename, and the service has none. To keep the object, keep its name`;
    case "NEW_VERSION":
      return phrase`${listed(note.objects, 5)}: another version. The way without downtime is a second cluster beside it: see "Change a field" in docs/day-2.md`;
    case "LEFTOVER":
      return note.setting === "migrateFrom"
        ? phrase`reminder: the move of the Platform${note.platform === "" ? plain("") : phrase` ${note.platform}`} to this engine is done. Remove migrateFrom`
        : phrase`reminder: ${plain(note.setting)} has done its work for ${listed(note.names, 5)}. Remove it from the code`;
    case "DECLARED_TWICE":
      return phrase`${note.object} is declared in ${listed(note.stacks)}: if they use one service, the second create fails`;
  }
}

function unverified({ run, inModules }: Extract<Note, { code: "HOOKS_NOT_VERIFIED" }>): string {
  const effect = run
    ? "The rows say what this package's own hooks would do, but this apply may run others"
    : "This apply runs none";
  return inModules
    ? `the hooks of Platforms in modules are not verified: this review compares those of the root module only. ${effect}`
    : `the hooks are not verified: the JSON of a plan does not show all of them. ${effect}. Use --plan-file FILE or --stack DIR`;
}

function ofPlatform(platform: string): Phrase {
  return platform === "" ? plain("") : phrase` of the Platform ${platform}`;
}

/** @param several whether the review has several stacks */
export function denialPhrase(denial: Denial, several: boolean): Phrase {
  const text = denialItself(denial, several);
  const placed = several && "stack" in denial ? phrase`${denial.stack}: ${text}` : text;
  return denial.why === undefined ? placed : phrase`${placed} (${denial.why})`;
}

function denialItself(denial: Denial, several: boolean): Phrase {
  switch (denial.code) {
    case "RISK": {
      const text = phrase`${denial.object} ${plain(denial.verdict)} is ${plain(denial.risk)}`;
      return denial.allowedUntil === undefined ? text : phrase`${text}, and was allowed only until ${plain(denial.allowedUntil)}`;
    }
    case "NOTE":
      return notePhrase(denial.note, several);
    case "SETTING":
    case "WEAKENED_SETTING": {
      const { stack, risk } = denial.change;
      const by = denial.code === "SETTING" ? `is ${risk}` : "is forbidden by the policy";
      const text = phrase`${settingPhrase(denial.change)} ${plain(by)}: ${settingMeaning(denial.change)}`;
      return several ? phrase`${stack}: ${text}` : text;
    }
    case "REFUSED":
      return denial.verdict === "UNKNOWN"
        ? phrase`${denial.object} UNKNOWN: it must not be deleted, and this review cannot tell whether something foreign deletes it`
        : phrase`${denial.object} ${plain(denial.verdict)}: this apply will fail`;
    case "OTHER_DELETES":
      return phrase`${plain(counted(denial.count, "other resource"))} deleted`;
    case "FORBID_DESTROY":
      return phrase`${denial.object} ${plain(denial.verdict)}: the policy forbids the destruction of objects that match ${denial.pattern}`;
    case "MAX_CLUSTERS_CREATED":
      return phrase`${plain(counted(denial.count, "cluster"))} created, but the policy's limit is ${plain(String(denial.limit))}`;
    case "MAX_CLUSTERS_DELETED":
      return phrase`${plain(counted(denial.count, "cluster"))} deleted, but the policy's limit is ${plain(String(denial.limit))}`;
    case "DELETION_PROTECTION_REQUIRED": {
      const text = phrase`${denial.object}: the policy requires deletionProtection for objects that match ${denial.pattern}`;
      return denial.known ? text : phrase`${text}, and the plan does not show whether it is set`;
    }
  }
}

/** `1 deleted, 2 created`; empty for a group without resources. */
export function otherCounts(group: Readonly<Counts>): string {
  return countsOf(group)
    .map(([count, word]) => `${count} ${word}`)
    .join(", ");
}

/** `1 deleted (a), 2 created (b, c with provisioners)`. */
export function otherPhrase(group: OtherResources): Phrase {
  const provisioned = new Set(group.provisioned);
  const named = (addresses: readonly string[]) =>
    phrases(
      addresses.map((address) => (provisioned.has(address) ? phrase`${address} has provisioners` : phrase`${address}`)),
      OTHERS_NAMED,
    );
  const addresses: Readonly<Record<string, readonly string[]>> = { deleted: group.deleted, created: group.created };
  const parts = countsOf(group).map(([count, word]) => {
    const counted = plain(`${count} ${word}`);
    return addresses[word]?.length ? phrase`${counted} (${named(addresses[word])})` : counted;
  });
  return joined(parts, ", ");
}

const OTHERS_NAMED = 3;

function countsOf(group: Readonly<Counts>) {
  const all = [
    [group.delete, "deleted"],
    [group.create, "created"],
    [group.update, "updated in place"],
    [group.read, "read"],
    [group.other, "moved, imported or forgotten"],
    [group.unchanged, "unchanged"],
  ] as const;
  return all.filter(([count]) => count !== 0);
}

export const RISK_MARKS: Readonly<Record<Risk, string>> = { critical: "🔴", high: "🟠", medium: "🟡", low: "🟢", none: "⚪" };

/** The denials that no row and no note shows. Denials with the same cause share one line. */
export function denialLines({ denials }: Gate, several: boolean): Phrase[] {
  const lines = new Map<string, { phraseOf: (objects: Phrase) => Phrase; objects: Phrase[] }>();
  const add = (key: string, object: Phrase, phraseOf: (objects: Phrase) => Phrase) => {
    if (!lines.has(key)) lines.set(key, { phraseOf, objects: [] });
    lines.get(key)!.objects.push(object);
  };
  for (const denial of denials) {
    const because = denial.why === undefined ? plain("") : phrase` (${denial.why})`;
    const object =
      "object" in denial ? (several ? phrase`${denial.stack}: ${denial.object}` : phrase`${denial.object}`) : plain("");
    switch (denial.code) {
      case "NOTE":
      case "SETTING":
        break;
      case "RISK":
        if (denial.allowedUntil === undefined) break;
        add(
          `until ${denial.allowedUntil}`,
          object,
          (objects) => phrase`was allowed only until ${plain(denial.allowedUntil!)}: ${objects}`,
        );
        break;
      case "REFUSED":
        break;
      case "FORBID_DESTROY":
        add(
          `forbid ${denial.pattern} ${denial.why}`,
          object,
          (objects) => phrase`the policy forbids the destruction of objects that match ${denial.pattern}${because}: ${objects}`,
        );
        break;
      default:
        add(`${lines.size}`, object, () => denialPhrase(denial, several));
    }
  }
  return [...lines.values()].map(({ phraseOf, objects }) => phraseOf(phrases(objects, 5)));
}

/** Notes that only the JSON report has. */
export const ONLY_IN_JSON: ReadonlySet<Note["code"]> = new Set(["SUPPORT_RESOURCES"]);

export function gateName({ failOn, failOnRefused, failOnOtherDeletes, denials }: Gate): string {
  const hasFailed = denials.some((denial) => denial.code === "NOTE" && denial.note.code === "PLAN_FAILED");
  const also = [
    ...(hasFailed ? ["failed plan"] : []),
    ...(failOnRefused ? ["refused"] : []),
    ...(failOnOtherDeletes ? ["other deletes"] : []),
  ];
  return [`fail-on ${failOn}`, ...also].join(", ");
}

/** What goes together with the objects of a row. */
export function dependentPhrase({ address, replaced }: Dependent): { object: Phrase; happens: string } {
  return { object: phrase`${address}`, happens: replaced ? "replaced with it" : "deleted with it" };
}
