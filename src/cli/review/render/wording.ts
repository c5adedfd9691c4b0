import { groupedBy } from "../../report/grouped-by";
import { counted, joined, listed, phrase, phrases, plain, tallied, type Phrase, written } from "../../report/phrase";
import { changesPhrase } from "../../report/changes";
import {
  hasReason,
  isAffected,
  isDeleted,
  isLetGo,
  type Dependent,
  type NotDoneBecause,
  type ObjectFinding,
  type Reason,
  type Verdict,
} from "../judge/finding";
import { capacityChange } from "../judge/object-summary";
import type { Denial, Gate } from "../judge/gate";
import { type GuardRefusal, isSparing, type Note } from "../judge/note";
import { isWeakened, type SettingChange } from "../judge/settings-changes";
import { inTotal, type Counts, type OtherResources } from "../judge/other-resources";
import { hasChanges, type Review } from "../judge/review";

/** What the apply does to the object, behind its verdict. Empty if the verdict says it. */
export function describeVerdict(finding: ObjectFinding): string {
  const { verdict, refused, risk, reasons } = finding;
  if (refused) {
    if (verdict === "UNCHANGED") return "fails, because the apply waits for it";
    const condition = hasReason(finding, "in use") ? "clusters still use it" : "it still exists";
    const fails = finding.seen || verdict === "CREATE" || verdict === "ADOPT" ? "fails" : `fails if ${condition}`;
    const isAllowable = (verdict === "DESTROY" || verdict === "REPLACE") && !hasReason(finding, "NO_HOOK");
    return isAllowable ? `${fails}; if allowed, ${lost(finding)}` : fails;
  }
  switch (verdict) {
    case "DESTROY":
    case "REPLACE":
      return lost(finding);
    case "CREATE":
      return hasReason(finding, "TAINTED") ? "its unfinished create goes on, or fails if the name is taken" : "";
    case "ADOPT":
      return finding.seen ? "" : "adopted if it exists and matches, else created";
    case "LEAVE":
      if (isLetGo(finding)) return "stays on the service";
      return risk === "high" ? "not deleted, and the apply fails if it exists" : "stays on the service, where nothing manages it";
    case "UNCHANGED":
      if (!hasReason(finding, "GONE")) return "changes in the state only";
      return reasons.some((reason) => "dropped" in reason) ? "leaves the state" : "stays in the state";
    case "UNKNOWN":
      return "read Terraform's own plan";
  }
}

function lost({ verdict, kind }: ObjectFinding): string {
  const isReplaced = verdict === "REPLACE";
  if (kind === "provider") return isReplaced ? "registered again" : "its registration is deleted";
  return isReplaced ? "emptied" : "deleted with everything on it";
}

export function verdictName({ verdict, refused }: ObjectFinding): string {
  return refused ? `${verdict}, refused` : verdict;
}

/** The size of clusters that are created or lost, if the plan shows it. */
export function sizePhrase(findings: readonly ObjectFinding[]): Phrase | undefined {
  const [first] = findings as readonly [ObjectFinding];
  const { verdict } = first;
  if (verdict === "UNCHANGED") return undefined;
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
  const { setting, objects } = change;
  if (objects !== undefined) return phrase`${plain(isWeakened(change) ? "no longer" : "now")} protects ${listed(objects, 5)}`;
  const [weakened, other] = MEANINGS[setting] ?? always("how the service is called");
  return plain(isWeakened(change) ? weakened : other);
}

const WAITING = "how long the hooks try and wait";
/** Of a setting whose change weakens the Platform, and of any other change of it. */
const MEANINGS: Readonly<Record<string, readonly [weakened: string, other: string]>> = {
  deletionProtection: ["protects less than before", "protects more than before"],
  allowDeletion: ["allows deletions that this plan does not make", "allows fewer deletions than before"],
  retain: ["will leave objects on the service that this plan keeps", "leaves fewer objects on the service"],
  adopt: always("which existing objects are adopted"),
  url: always("the token and every request go to another address"),
  insecureSkipVerify: [
    "any certificate is accepted: an attacker on the network can steal the token",
    "certificates are verified",
  ],
  allowPlainHttp: ["the token may be sent unencrypted", "the token is only sent encrypted"],
  caFile: always("other certificate authorities are trusted"),
  createSeconds: always(WAITING),
  readySeconds: always(WAITING),
  deleteSeconds: always(WAITING),
  pollSeconds: always(WAITING),
};

function always(text: string): readonly [string, string] {
  return [text, text];
}

/** Adds the changed fields if no reason names them, and not all fields change. */
export function reasons(finding: ObjectFinding): Phrase {
  const reasons = finding.reasons.map((reason) => worded(REASONS, reason, finding));
  const namesFields = finding.reasons.some((reason) => reason.code === "CHANGED" && reason.fields === undefined);
  const along = namesFields || hasReason(finding, "NEW", "GONE", "imported") ? [] : finding.changes();
  const wasProtected = finding.unprotected && isDeleted(finding) ? [phrase`it was protected until this plan`] : [];
  return joined([...reasons, ...(along.length > 0 ? [changesPhrase(along)] : []), ...wasProtected], "; ");
}

/** The words for each code: text, or what depends on the item and its context. */
type Words<Item extends { readonly code: string }, Context> = {
  readonly [Code in Item["code"]]: string | ((item: Item & { readonly code: Code }, context: Context) => Phrase);
};

function worded<Item extends { readonly code: string }, Context>(
  words: Words<Item, Context>,
  item: Item,
  context: Context,
): Phrase {
  const found: string | ((item: never, context: Context) => Phrase) = words[item.code as Item["code"]];
  return typeof found === "string" ? plain(found) : found(item as never, context);
}

/** docs/review-report.md explains them. */
export const REASONS: Words<Reason, ObjectFinding> = {
  NEW: "new in the code",
  REMOVED: "removed from the code",
  DESTROY_ALL: "planned by destroy",
  CHANGED: ({ fields }, finding) => {
    if (fields === undefined) return changesPhrase(finding.changes());
    return phrase`an update in place sends nothing${colonListed(fields)}`;
  },
  REQUESTED: ({ because }) => plain(`replaced because of ${because}`),
  TAINTED: (_, { engine }) => plain(engine === "provider" ? "tainted" : "tainted: Terraform skips its destroy hook"),
  RETAINED: ({ because }) => plain(`${because} keeps it`),
  ALLOWED: "allowDeletion names it",
  GONE: ({ replaced, leaving, pending }) => {
    if (replaced) return plain("an interrupted apply has replaced it");
    if (leaving) return plain("the service is deleting it");
    return plain(pending ? "the service does not have it, and may still create it" : "it is gone from the service");
  },
  MOVED: (reason) => {
    switch (reason.because) {
      case "imported":
        return plain("imported into the state");
      case "declares":
        return phrase`its instance is now that of ${reason.object}`;
      case "was at":
        return phrase`it was at ${reason.address}`;
      case "declared at":
        return phrase`now declared at ${reason.address}`;
    }
  },
  NO_HOOK: (reason) => {
    const what =
      reason.because === "moves to" ? phrase`its instance moves to ${reason.address}` : plain(UNHOOKED[reason.because]);
    return phrase`nothing deletes it: ${what}`;
  },
  REFUSED: ({ because, fields = [], clusters = [], allowedBy }) => {
    const what = phrase`${plain(NOT_DONE[because])}${colonListed([...fields, ...clusters])}`;
    return allowedBy === undefined ? what : phrase`${what}; ${allowedBy} on the Platform would allow it`;
  },
  FOREIGN: ({ because, problem }) =>
    because === "hook" ? phrase`its block ${problem}` : phrase`its provider is ${problem} instead of this package's own`,
  UNKNOWN: (reason) => {
    switch (reason.because) {
      case "name":
        return plain("its name is known after apply");
      case "actions":
        return phrase`its actions are ${listed(reason.actions)}`;
      case "platform":
        return phrase`the plan does not show which Platform removes it at ${reason.address}`;
      case "expressions":
        return phrase`expressions change: ${listed(reason.fields, 5)}`;
    }
  },
};

const UNHOOKED = {
  "block removed": "its block left the code",
  "no destroy hook": "its block has no destroy hook",
  create_before_destroy: "create_before_destroy",
  "deposed copy": "a deposed copy of it leaves the state",
} as const;

/** Why a run refuses it. */
const NOT_DONE: Readonly<Record<NotDoneBecause, string>> = {
  "declared twice": "it is declared twice",
  taken: "its name is taken",
  "taken by the state": "the state has another object with its name",
  differs: "the service has it otherwise than declared",
  "sent otherwise": "this stack has sent a request for it with another declaration",
  "still leaving": "the service is still deleting it",
  "still listed": "this stack has deleted it, and lists still show it",
  "nothing to import": "the service does not have it",
  temporary: "terraform test would delete it",
  retained: "the Platform retains it",
  "service is doubtful": "the service has no object of the Platform: is it the right one?",
  "another object": "another object on the service has its name",
  "another spelling": "the service has its name in another spelling",
  "said to be gone": "it lives, although CLUSTER_PLATFORM_ACCEPT_GONE says that it is gone",
  protected: "deletionProtection covers it",
  "retain matches nothing": "an entry of retain names nothing",
  "provider is unknown": "the service does not show its provider",
  "in use": "clusters use it",
  "no declaration": "the state has it without a declaration, as after terraform import",
};

function colonListed(texts: readonly string[]): Phrase {
  return texts.length === 0 ? plain("") : phrase`: ${listed(texts, 5)}`;
}

const HAPPENED: Readonly<Record<Verdict, string>> = {
  REPLACE: "replaced",
  DESTROY: "destroyed",
  UNKNOWN: "unclear",
  LEAVE: "left on the service",
  ADOPT: "adopted",
  CREATE: "created",
  UNCHANGED: "changed in the state only",
};

/** `1 cluster replaced, 2 providers created`, the worst first. */
export function summary(review: Review): string {
  const parts = tallied(
    review.findings
      .filter(isAffected)
      .map(({ kind, verdict, refused }) => ({ kind, what: refused ? "refused" : HAPPENED[verdict] })),
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

/** The clusters that the plan deletes, and what refuses it. */
function lossesIn({ findings, stacks, notes }: Review) {
  const failed = stacks.filter(({ errored }) => errored);
  const isSpared = ({ stack, platform }: ObjectFinding) =>
    failed.some(({ name }) => name === stack) ||
    notes.some((note) => isSparing(note) && note.stack === stack && note.platform === platform);
  const clusters = findings.filter(({ kind }) => kind === "cluster");
  const deleted = clusters.filter(isDeleted);
  const guarded = clusters.filter((each) => each.refused && hasReason(each, "protected") && isSpared(each));
  const elsewhere = notes
    .filter((note) => note.because === "used elsewhere" || note.because === "taken elsewhere")
    .map(({ object }) => phrase`${object}`);
  return {
    failed,
    guarded,
    elsewhere,
    spared: [...guarded, ...deleted.filter(isSpared)],
    lost: deleted.filter((finding) => !isSpared(finding)),
    refused: findings.filter((finding) => finding.refused && !isSpared(finding)),
    // For orphans of lower risk, the orphan check tells whether they live.
    orphaned: findings.filter(({ verdict, risk }) => verdict === "LEAVE" && risk === "critical"),
  };
}

function namesOf({ stacks }: Review, findings: readonly ObjectFinding[], limit: number): Phrase {
  const named = findings.map(({ name, stack }) => (stacks.length > 1 ? phrase`${name} (${stack})` : phrase`${name}`));
  return phrases(named, limit);
}

/** What a reviewer must know first: what would be lost, and where the apply fails. Else {@link summary}. */
export function headlinePhrase(review: Review): Phrase {
  const { spared, lost, refused, guarded, elsewhere } = lossesIn(review);
  const gone = [...lost, ...spared];
  const failing = [...refused, ...guarded];
  const some = (all: readonly ObjectFinding[], what: string) =>
    all.length <= HEADLINE_NAMES ? namesOf(review, all, HEADLINE_NAMES) : plain(counted(all.length, what));
  const parts = [
    ...(gone.length > 0 ? [phrase`${some(gone, "cluster")} ${plain(failing.length > 0 ? "would" : "will")} be lost`] : []),
    ...(failing.length > 0 ? [phrase`this apply fails at ${some(failing, "object")}`] : []),
    ...elsewhere.slice(0, 1).map((object) => phrase`this apply fails at ${object}`),
  ];
  return parts.length > 0 ? joined(parts, "; ") : plain(summary(review));
}

const HEADLINE_NAMES = 3;

/** One sentence each for failed plans, refused objects, lost clusters and orphaned objects. */
export function losses(review: Review, limit = Infinity): Phrase[] {
  const { failed, guarded, elsewhere, spared, lost, refused, orphaned } = lossesIn(review);
  const named = (findings: readonly ObjectFinding[]) => namesOf(review, findings, limit);
  const failing = [...(refused.length > 0 ? [named(refused)] : []), ...elsewhere];
  const stacks = phrases(
    failed.map(({ name }) => phrase`${name}`),
    limit,
  );
  const plans = review.stacks.length === 1 ? plain("The plan failed") : phrase`${stacks}: the plan failed`;
  const refusing =
    guarded.length > 0
      ? phrase`while ${named(guarded)} ${plain(guarded.length === 1 ? "is" : "are")} refused`
      : plain("by a plan that failed or is refused");
  const sentences: readonly (readonly [about: readonly unknown[], sentence: Phrase])[] = [
    [failed, phrase`${plans}, so nobody can apply it. Changes may be missing from it.`],
    [failing, phrase`This apply fails at ${joined(failing, ", ")}${ifItExists(refused)}.`],
    [lost, phrase`Everything on ${named(lost)} is gone after this apply.`],
    [spared, phrase`Nothing is deleted ${refusing}. Without that, everything on ${named(spared)} is gone.`],
    [orphaned, phrase`Terraform no longer manages ${named(orphaned)}: nothing deletes these objects from the service.`],
  ];
  return sentences.flatMap(([about, sentence]) => (about.length > 0 ? [sentence] : []));
}

function ifItExists(refused: readonly ObjectFinding[]): Phrase {
  return plain(refused.every(({ seen }) => seen) ? "" : ", if what is refused still exists");
}

/** @param several whether the review has several stacks */
export function notePhrase(note: Note, several: boolean): Phrase {
  const words: string | ((note: never) => Phrase) = NOTES[note.because];
  return placed(typeof words === "string" ? plain(words) : words(note as never), note, several);
}

function placed(text: Phrase, item: object, several: boolean): Phrase {
  return several && "stack" in item ? phrase`${item.stack as string}: ${text}` : text;
}

const COMPARED = {
  both: "compared two programs without a plan",
  head: "only the second program has this stack, so everything is created",
} as const;

/** The variants of a union whose `because` may be this one. */
type About<B extends Note["because"], N = Note> = N extends { readonly because: infer Of } ? (B extends Of ? N : never) : never;

const NOTES: { readonly [B in Note["because"]]: string | ((note: About<B>) => Phrase) } = {
  "programs only": ({ stackIn }) => {
    if (stackIn === "base") {
      return plain(
        "this stack left the code, and no apply destroys what it has. To delete its objects, remove them from the stack first, apply that, and then remove the stack",
      );
    }
    return plain(
      `${COMPARED[stackIn]}: this review compares what they declare, and knows neither the state, nor the service, nor the values of variables, data sources and files. Read the review of a real plan before an apply`,
    );
  },
  "part of the stack": "the plan is incomplete (-target, or deferred changes), and the rest is not reviewed",
  "plan failed": (note) => {
    const missing = note.missing.length === 0 ? plain("") : phrase` It may lack changes of ${listed(note.missing, 5)}.`;
    return phrase`the plan failed, so Terraform and OpenTofu refuse to apply it.${missing} The output of the plan says why it failed, and which changes are refused`;
  },
  "settings unknown":
    "the plan does not show which objects the Platform protects and retains; deletions may be refused, or may leave objects on the service",
  "package version": ({ own, ofStack, risk }) =>
    phrase`package ${plain(risk === "high" ? "downgrade" : "upgrade")}: cdktf-cluster-platform ${own} → ${ofStack}, which recognizes what it has synthesized`,
  "hooks not verified": (note) => plain(unverified(note)),
  "another provider": (note) =>
    phrase`${listed(note.addresses, 3)}: the provider is ${note.source} instead of this package's own, so this review cannot tell what an apply does there`,
  "unknown resources": (note) =>
    phrase`${listed(note.addresses, 3)}: this version of cluster-platform does not know this type of resource; read Terraform's own plan, or use the version that synthesized the stack`,
  "unknown parts": (note) =>
    phrase`the plan has ${listed(note.parts, 5)}, which this version of cluster-platform does not know; read Terraform's own plan`,
  drift: (note) =>
    phrase`${listed(note.objects, 5)}: live values differ from the declaration, and this plan does not change that; cluster-platform drift shows the differences`,
  "not from this package": (note) =>
    phrase`FOREIGN: ${listed(note.addresses, 3)}: ${note.problem}. This review cannot tell what an apply does there. A policy allows it with the digest ${plain(note.digest)}`,
  allowed: (note) =>
    phrase`${listed(note.addresses, 3)}: ${note.problem}. The policy allows it${note.why === undefined ? plain("") : phrase` (${note.why})`}`,
  "checks failed": (note) => phrase`checks of the configuration that failed: ${plain(String(note.count))}`,
  secrets: (note) => {
    const missing = note.missing ? phrase`. Here, ${listed(note.missing, 20)}` : plain("");
    return phrase`the apply needs these secrets to create the objects: ${listed([...note.variables, ...note.files], 20)}${missing}`;
  },
  "provider missing": (note) => phrase`${note.problem}`,
  protected: ({ names, platform, allowedBy }) =>
    phrase`nothing${ofPlatform(platform)} is deleted as long as deletionProtection covers ${listed(names, 5)}. To allow the deletion, write ${allowedBy ?? ""} on the Platform`,
  "retain matches nothing": ({ names, platform }) =>
    phrase`retain names ${listed(names, 5)}, which neither state nor code has: this apply will fail before it deletes anything${ofPlatform(platform)}, unless the service has an object of the name. Remove it from retain, or correct it`,
  retained: guardPhrase,
  "service is doubtful": guardPhrase,
  "another object": guardPhrase,
  "another spelling": guardPhrase,
  "said to be gone": guardPhrase,
  "provider is unknown": guardPhrase,
  "in use": guardPhrase,
  "refused in between": (note) =>
    phrase`the apply deletes ${listed(note.objects, 5)}, and then fails at ${listed(note.refused, 5)} before it creates anything again: the deleted objects stay deleted until an apply succeeds. First remove the refused change from the plan`,
  "registration in between": (note) =>
    phrase`the registration of ${listed(note.providers, 5)} (${plain(note.type)}) comes between deletion and re-creation of ${listed(note.clusters, 5)}: if it fails, the clusters stay deleted until an apply succeeds. Register first, in an apply of its own`,
  "used elsewhere": (note) =>
    phrase`${note.object} is used by ${listed(note.clusters, 5)} of ${listed(note.stacks, 5)}: if both stacks use one service, this apply will fail before it sends anything for the provider`,
  "taken elsewhere": (note) =>
    phrase`${note.object} is created without adopt, and ${listed(note.stacks, 5)} has it: if both stacks use one service, this apply will fail because the name is taken. To hand the object over, retain it there and declare adopt: true here. A plan does not show CLUSTER_PLATFORM_ADOPT, with which the apply may pass`,
  "handed over": (note) => phrase`${note.object} goes from ${note.from}, which retains it, to ${note.to}, which adopts it`,
  "looks renamed": (note) =>
    phrase`${note.object} leaves, and ${note.successor} comes with the same ${note.field}: this looks like a rename, and the service has none. To keep the object, keep its name`,
  "new version": (note) =>
    phrase`${listed(note.objects, 5)}: another version. The way without downtime is a second cluster beside it: see "Change a field" in docs/day-2.md`,
  leftover: (note) =>
    phrase`reminder: ${plain(note.setting)} has done its work for ${listed(note.names, 5)}. Remove it from the code`,
  "created twice": (note) =>
    phrase`${note.object} is created in ${listed(note.stacks)}: if they use one service, the second create fails`,
  "declared twice": (note) =>
    phrase`${note.object} is declared in ${listed(note.stacks)}: if they use one service, the removal from either deletes it`,
};

function guardPhrase({ names, platform, because }: GuardRefusal): Phrase {
  return phrase`this apply will fail before it deletes anything${ofPlatform(platform)}, because of ${listed(names, 5)}: ${plain(NOT_DONE[because])}`;
}

function unverified({ run, inModules }: Extract<Note, { because: "hooks not verified" }>): string {
  const effect = run
    ? "The rows say what this package's own hooks would do, but this apply may run others"
    : "This apply runs none";
  return inModules
    ? `the hooks of Platforms in modules are not verified: this review compares those of the root module only. ${effect}`
    : `the hooks are not verified: the JSON of a plan does not show all of them. ${effect}. Name the saved plan in the folder of its stack`;
}

function ofPlatform(platform: string): Phrase {
  return platform === "" ? plain("") : phrase` of the Platform ${platform}`;
}

/** @param several whether the review has several stacks */
export function denialPhrase(denial: Denial, several: boolean): Phrase {
  const text = placed(worded(DENIALS, denial, several), denial, several);
  return denial.why === undefined ? text : phrase`${text} (${denial.why})`;
}

const DENIALS: Words<Denial, boolean> = {
  RISK: ({ object, verdict, risk, allowedUntil }) => {
    const until = allowedUntil === undefined ? "" : `, and was allowed only until ${allowedUntil}`;
    return phrase`${object} ${plain(`${verdict} is ${risk}${until}`)}`;
  },
  NOTE: ({ note }, several) => notePhrase(note, several),
  SETTING: ({ change }, several) => changeDenial(change, `is ${change.risk}`, several),
  WEAKENED_SETTING: ({ change }, several) => changeDenial(change, "is forbidden by the policy", several),
  REFUSED: ({ object, verdict }) =>
    verdict === "UNKNOWN"
      ? phrase`${object} UNKNOWN: it must not be deleted, and this review cannot tell whether something foreign deletes it`
      : phrase`${object} ${plain(verdict)} is refused`,
  OTHER_DELETES: ({ count }) => plain(`${counted(count, "other resource")} deleted`),
  FORBID_DESTROY: (denial) => phrase`${denial.object} ${plain(denial.verdict)}: ${ruleOf(denial)}`,
  MAX_CLUSTERS_CREATED: ({ count, limit }) => plain(`${counted(count, "cluster")} created, but the policy's limit is ${limit}`),
  MAX_CLUSTERS_DELETED: ({ count, limit }) => plain(`${counted(count, "cluster")} deleted, but the policy's limit is ${limit}`),
  DELETION_PROTECTION_REQUIRED: (denial) => phrase`${denial.object}: ${ruleOf(denial)}`,
};

function changeDenial(change: SettingChange, by: string, several: boolean): Phrase {
  return placed(phrase`${settingPhrase(change)} ${plain(by)}: ${settingMeaning(change)}`, change, several);
}

type OfRule = Extract<Denial, { readonly code: "FORBID_DESTROY" | "DELETION_PROTECTION_REQUIRED" }>;

function ruleOf(denial: OfRule): Phrase {
  if (denial.code === "FORBID_DESTROY") return phrase`the policy forbids the destruction of objects that match ${denial.pattern}`;
  const unknown = plain(denial.known ? "" : ", and the plan does not show whether it is set");
  return phrase`the policy requires deletionProtection for objects that match ${denial.pattern}${unknown}`;
}

/** The first lines, and how many there are besides. */
export function atMost(lines: readonly Phrase[], limit: number): Phrase[] {
  return lines.length > limit ? [...lines.slice(0, limit), plain(`and ${lines.length - limit} more`)] : [...lines];
}

/** The denials that no row and no note shows. Denials with the same cause share one line. */
export function denialLines({ denials }: Gate, several: boolean): Phrase[] {
  const unseen = denials.filter(
    (denial) => !SHOWN.has(denial.code) && (denial.code !== "RISK" || denial.allowedUntil !== undefined),
  );
  const groups = groupedBy(unseen, (denial) => {
    const cause = commonCause(denial);
    return cause ? written(cause, (text) => JSON.stringify(text)) : denial;
  });
  return [...groups.values()].map((group) => {
    const cause = commonCause(group[0]!);
    const objects = group.map((denial) => placed("object" in denial ? phrase`${denial.object}` : plain(""), denial, several));
    return cause ? phrase`${cause}: ${phrases(objects, 5)}` : denialPhrase(group[0]!, several);
  });
}

const SHOWN: ReadonlySet<Denial["code"]> = new Set(["NOTE", "SETTING", "REFUSED"]);

/** Of denials that several objects may have in common. */
function commonCause(denial: Denial): Phrase | undefined {
  if (denial.code === "RISK") return plain(`was allowed only until ${denial.allowedUntil}`);
  if (denial.code !== "FORBID_DESTROY" && denial.code !== "DELETION_PROTECTION_REQUIRED") return undefined;
  const cause = ruleOf(denial);
  return denial.why === undefined ? cause : phrase`${cause} (${denial.why})`;
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

export function gateName({ failOn, failOnOtherDeletes, denials }: Gate): string {
  const hasFailed = denials.some((denial) => denial.code === "NOTE" && denial.note.because === "plan failed");
  const also = [...(hasFailed ? ["failed plan"] : []), ...(failOnOtherDeletes ? ["other deletes"] : [])];
  return [`fail-on ${failOn}`, ...also].join(", ");
}

/** What goes together with the objects of a row. */
export function dependentPhrase({ address, replaced }: Dependent): { object: Phrase; happens: string } {
  return { object: phrase`${address}`, happens: replaced ? "replaced with it" : "deleted with it" };
}

/** What allows that which the gate denies. Undefined if nothing does, as for a plan that failed. */
export function meantPhrase({ denials }: Gate, { stacks, findings, notes }: Review): Phrase | undefined {
  const failed = new Set(stacks.filter(({ errored }) => errored).map(({ name }) => name));
  const entries = denials.flatMap((denial) =>
    (denial.code === "RISK" || denial.code === "FORBID_DESTROY") && !failed.has(denial.stack)
      ? [JSON.stringify({ object: denial.object, verdict: denial.verdict })]
      : [],
  );
  const lines = [
    ...notes.flatMap((note) => ("allowedBy" in note && note.allowedBy !== undefined ? [note.allowedBy] : [])),
    ...findings.flatMap(({ reasons }) =>
      reasons.flatMap((reason) => ("allowedBy" in reason && reason.allowedBy !== undefined ? [reason.allowedBy] : [])),
    ),
  ];
  const meant = [
    ...(entries.length > 0 ? [phrase`merge ${distinct(entries)} into ${"allow"} of the policy first`] : []),
    ...(lines.length > 0 ? [phrase`write ${distinct(lines)} on the Platform`] : []),
  ];
  return meant.length > 0 ? joined(meant, ", and ") : undefined;
}

/** As examples. */
const EXAMPLES = 3;

function distinct(texts: readonly string[]): Phrase {
  return listed([...new Set(texts)], EXAMPLES);
}
