import { Draw } from "../draw";
import { randomFrom } from "../kernel";
import type { Fault } from "../service";

export const NAMES = ["c1", "c2", "c3"] as const;
export type Name = (typeof NAMES)[number];
export const PROVIDER = "vsphere";
export type ObjectName = Name | typeof PROVIDER;
const SECOND = "second";

export function idOf(name: ObjectName): string {
  return `capvs/${name === PROVIDER ? "providers" : "clusters"}/${name}`;
}

/** The other name of a Platform. */
export function otherPlatform({ platform }: Pick<Code, "platform">): string | undefined {
  return platform === undefined ? SECOND : undefined;
}

/** What the program of a step declares: one Platform, its provider and its clusters. */
export interface Code {
  readonly engine: "null_resource" | "terraform_data" | "provider";
  /** Declarations of the clusters, and of the provider. */
  readonly clusters: Readonly<Partial<Record<Name, 0 | 1>>>;
  readonly provider: 0 | 1;
  readonly platform?: string;
  /** Whether each declared object has a `moved` block from the Platform with the other name. */
  readonly isMoved?: boolean;
  /** With the provider: objects with a `removed` block that forgets them. The code does not declare them. */
  readonly forgotten?: readonly ObjectName[];
  /** With the provider: declared clusters with an `import` block. */
  readonly imported?: readonly Name[];
  readonly isProtected?: boolean;
  readonly allowDeletion?: readonly Name[];
  readonly retain?: readonly string[];
  readonly adopt?: boolean;
}

export type Method = "POST" | "DELETE";

/** Hits the writes of one object, or all lists. */
export interface NamedFault {
  readonly method: Method | "GET";
  /** Undefined for lists. */
  readonly name?: ObjectName;
  /** Undefined without a limit. */
  readonly times?: number;
  readonly fault: Extract<Fault, { kind: "refuse" | "lose" | "drop" | "garbage" | "hang" }>;
}

/** Kills something while a hook or the plugin works on an object. */
export interface StopAt {
  readonly method: Method;
  readonly name: ObjectName;
  /** `look`: before a hook has sent its write. `arrived`: before the service carries it out. `answered`: after that. */
  readonly at: "look" | "arrived" | "answered";
  readonly how: "SIGKILL of the child" | "SIGINT" | "SIGKILL of Terraform" | "the machine dies";
}

export interface Step {
  readonly code: Code;
  readonly operation: "apply" | "destroy" | "plan" | "apply the plan";
  /** With `plan`: of a destroy. */
  readonly isDestroyPlanned?: boolean;
  readonly replace?: ObjectName;
  readonly target?: ObjectName;
  /** Whether the target is the whole block. */
  readonly isBlockTargeted?: boolean;
  readonly withoutRefresh?: boolean;
  readonly workspace: "default" | "other";
  /** Before the run. */
  readonly state?: { readonly act: "taint" | "untaint" | "rm" | "mv"; readonly name: ObjectName; readonly to?: Name };
  /** Before the run. */
  readonly other?: { readonly act: "creates" | "deletes"; readonly name: Name };
  readonly fault?: NamedFault;
  readonly stop?: StopAt;
  readonly adopt?: readonly ObjectName[];
  readonly acceptGone?: readonly ObjectName[];
}

/** What the program that is compared can do. */
export interface Abilities {
  readonly engine: Code["engine"];
  /** Reads `removed` blocks with provisioners, and moves between types of resources. */
  readonly isNew: boolean;
}

/** A random sequence of small steps, the same for the same seed. */
export function stepsFrom(seed: number, { engine, isNew }: Abilities): Step[] {
  const draw = new Draw(randomFrom(seed));
  let code: Code = { engine, clusters: clustersOf(draw, {}), provider: 0 };
  const isProtected = draw.once(5);
  let workspace: Step["workspace"] = "default";
  let isPlanned = false;
  const steps: Step[] = [];
  for (let count = draw.number(3, 5); count > 0; count--) {
    if (steps.length > 0) code = editOf(draw, code, isNew);
    if (draw.once(15)) workspace = workspace === "default" ? "other" : "default";
    code = {
      ...code,
      isProtected,
      allowDeletion: isProtected ? draw.one<Name[]>([], [...NAMES], [draw.one(...NAMES)]) : [],
      retain: draw.once(12) ? [draw.one<string>(...NAMES)] : [],
      adopt: draw.once(10),
    };
    const planned: boolean = isPlanned && draw.once(1.5);
    const operation: Step["operation"] = planned
      ? "apply the plan"
      : draw.one<Step["operation"]>("apply", "apply", "apply", "apply", "apply", "apply", "destroy", "plan");
    isPlanned = operation === "plan" || (isPlanned && !planned);
    const step: Step = { code, workspace, ...stepOf(draw, operation, engine === "provider") };
    steps.push(isRaced([...steps, step]) ? { ...step, code: { ...code, adopt: false }, adopt: undefined } : step);
  }
  return steps;
}

/** After a rename of the Platform, Terraform deletes at the old address and adopts at the new one in any order. */
function isRaced(steps: readonly Step[]): boolean {
  return steps.some(({ code: { engine, platform } }) => engine === "provider" && platform !== undefined);
}

function stepOf(draw: Draw, operation: Step["operation"], isOfPlugin: boolean): Omit<Step, "code" | "workspace"> {
  const isRun = operation !== "plan";
  const isPlanning = operation !== "apply the plan";
  const fault = isRun && draw.once(3) ? faultOf(draw) : undefined;
  const isDestroyPlanned = operation === "plan" && draw.once(4);
  const canReplace = operation === "apply" || (operation === "plan" && !isDestroyPlanned);
  return {
    operation,
    ...(isDestroyPlanned && { isDestroyPlanned }),
    ...(canReplace && draw.once(7) && { replace: draw.one<ObjectName>(...NAMES, PROVIDER) }),
    ...(isPlanning && draw.once(6) && { target: draw.one<ObjectName>(...NAMES, PROVIDER), isBlockTargeted: draw.once(3) }),
    ...(isPlanning && draw.once(8) && { withoutRefresh: true }),
    ...(draw.once(6) && { state: stateOf(draw) }),
    ...(draw.once(8) && { other: { act: draw.one("creates", "deletes"), name: draw.one(...NAMES) } }),
    ...(fault && { fault }),
    ...(isRun && !fault && draw.once(3) && { stop: stopOf(draw, isOfPlugin) }),
    ...(draw.once(6) && { adopt: draw.one<ObjectName[]>([...NAMES, PROVIDER], [draw.one(...NAMES)]) }),
    ...(draw.once(10) && { acceptGone: draw.one<ObjectName[]>([...NAMES, PROVIDER], [draw.one(...NAMES)]) }),
  };
}

function editOf(draw: Draw, code: Code, isNew: boolean): Code {
  const { isMoved: _, forgotten: __, imported: ___, ...same } = code;
  // People apply the same code again after a failure.
  if (draw.once(4)) return code;
  if (draw.once(12)) return { ...same, platform: otherPlatform(code), isMoved: draw.once(2) };
  if (draw.once(10)) return { ...same, provider: code.provider === 0 ? 1 : 0 };
  const clusters = clustersOf(draw, code.clusters);
  const isDeclared = (name: Name) => clusters[name] !== undefined;
  return {
    ...same,
    clusters,
    ...(code.engine === "provider" && {
      forgotten: isNew && draw.once(4) ? NAMES.filter((name) => !isDeclared(name)) : [],
      imported: draw.once(4) ? NAMES.filter(isDeclared) : [],
    }),
  };
}

function clustersOf(draw: Draw, before: Code["clusters"]): Code["clusters"] {
  const after: Partial<Record<Name, 0 | 1>> = {};
  for (const name of NAMES) {
    const variant = draw.once(2) ? before[name] : draw.one<0 | 1 | undefined>(undefined, 0, 1);
    if (variant !== undefined) after[name] = variant;
  }
  return after;
}

function stateOf(draw: Draw): NonNullable<Step["state"]> {
  const act = draw.one("taint", "taint", "untaint", "rm", "mv");
  if (act === "mv") return { act, name: draw.one(...NAMES), to: draw.one(...NAMES) };
  return { act, name: draw.one<ObjectName>(...NAMES, PROVIDER) };
}

function faultOf(draw: Draw): NamedFault {
  const refusal = { kind: "refuse", status: draw.one(400, 403, 404, 409, 500, 503) } as const;
  const garbage = { kind: "garbage", status: draw.one(200, 404, 502), carriedOut: draw.once(2) } as const;
  if (draw.once(6)) {
    const fault = draw.one(
      { kind: "refuse", status: draw.one(403, 503) } as const,
      { kind: "garbage", status: 200, carriedOut: false } as const,
    );
    return { method: "GET", fault };
  }
  return {
    method: draw.one("POST", "POST", "DELETE"),
    name: draw.one<ObjectName>(...NAMES, PROVIDER),
    times: draw.one(1, 1, undefined),
    fault: draw.one<NamedFault["fault"]>(refusal, refusal, { kind: "lose" }, { kind: "drop" }, garbage, { kind: "hang" }),
  };
}

function stopOf(draw: Draw, isOfPlugin: boolean): StopAt {
  const how = draw.one("SIGKILL of the child", "SIGINT", "SIGKILL of Terraform", "the machine dies");
  return {
    method: draw.one("POST", "POST", "DELETE"),
    name: draw.one<ObjectName>(...NAMES, PROVIDER),
    // A hook that outlives Terraform may see that before it sends its write, or not. The plugin looks for all objects at once.
    at: isOfPlugin || how === "SIGKILL of Terraform" ? draw.one("arrived", "answered") : draw.one("look", "arrived", "answered"),
    how,
  };
}
