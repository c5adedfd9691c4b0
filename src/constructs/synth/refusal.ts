import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Lazy, TerraformElement, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { InvalidPropError } from "../../model/errors";
import { OWN_CODE } from "./package-files";
import { withoutPlaceholders } from "./tokens";

const REFUSAL = Symbol.for("cdktf-cluster-platform.Refusal");
const REFUSED_AT_SYNTH = Symbol.for("cdktf-cluster-platform.RefusedAtSynth");

/** File and line of the user's program, as in `main.ts:31`. Undefined if it is not known. */
export type Line = () => string | undefined;

/**
 * Makes the synth fail. The constructor goes on, so that one synth reports the problems of all constructs.
 * @param problems sentences without full stops, none if nothing is refused
 */
export function refuse(construct: Construct, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const refused = new Set(construct.node.children.filter(isRefusal).map(({ text }) => text));
  const text = problems.filter((problem) => !refused.has(problem)).join("; ");
  if (text !== "") new Refusal(construct, text, lineOfCaller());
}

/**
 * Makes the synth fail if the finished program has problems.
 * @param problems called at synth; sentences without full stops, each with the path of its construct
 */
export function refuseAtSynth(construct: Construct, problems: () => readonly string[]): void {
  Object.assign(construct, { [REFUSED_AT_SYNTH]: problems });
  construct.node.addValidation({ validate: () => reported(construct, problems()) });
}

/** The line that makes the construct whose constructor calls this. */
export function lineOfCaller(): Line {
  // The text of a stack is made when it is read.
  const error = new Error();
  return () => lineOfProgram(error.stack);
}

export function withLine(problem: string, line?: Line): string {
  const known = line?.();
  return problem + (known === undefined ? "" : ` (${known})`);
}

let areSilent = false;

/** The JSON of a stack, for checks that need it although constructs of the stack are refused. */
export function renderedAnyway(stack: TerraformStack): unknown {
  areSilent = true;
  try {
    return stack.toTerraform();
  } finally {
    areSilent = false;
  }
}

/** An element of the stack, so that it is asked in a synth without validations, too. */
class Refusal extends TerraformElement {
  readonly [REFUSAL] = true;

  constructor(
    private readonly construct: Construct,
    readonly text: string,
    private readonly line: Line,
  ) {
    super(construct, `refusal-${construct.node.children.length}`);
    construct.node.addValidation({ validate: () => reported(this, [this.problem]) });
  }

  get problem(): string {
    return withLine(withoutPlaceholders(this.text), this.line);
  }

  get located(): string {
    return `${this.construct.node.path}: ${this.problem}`;
  }

  get path(): string {
    return this.construct.node.path;
  }

  /** A synth without validations, as `Testing.synth` does it, ends here. */
  override toTerraform() {
    const produce = ({ preparing }: { readonly preparing: boolean }) => {
      if (preparing || areSilent) return undefined;
      const [first, ...others] = refusalsBelow(this.node.root);
      throw new InvalidPropError(first!.path, [first!.problem, ...others.map(({ located }) => located)].join("\n"));
    };
    return { "//": Lazy.anyValue({ produce }) };
  }
}

/** cdktf validates stack by stack and stops at the first one that is invalid. So its first problem brings those of the others. */
function reported(by: Construct, problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  const here = TerraformStack.of(by);
  const first = refusalsBelow(here)[0] ?? refusedAtSynth(here).find(({ problems }) => problems().length > 0)?.construct;
  if (first !== by) return [...problems];
  const stacks = here.node.root.node
    .findAll()
    .filter((node): node is TerraformStack => TerraformStack.isStack(node) && node !== here);
  return [
    ...problems,
    ...stacks.flatMap((stack) => [
      ...refusalsBelow(stack).map(({ located }) => located),
      ...refusedAtSynth(stack).flatMap(({ problems }) => problems()),
    ]),
  ];
}

function refusalsBelow(construct: IConstruct): Refusal[] {
  return construct.node.findAll().filter(isRefusal);
}

function isRefusal(node: object): node is Refusal {
  return REFUSAL in node;
}

function refusedAtSynth(stack: TerraformStack) {
  return stack.node
    .findAll()
    .filter((node): node is Construct & { [REFUSED_AT_SYNTH]: () => readonly string[] } => REFUSED_AT_SYNTH in node)
    .map((construct) => ({ construct, problems: construct[REFUSED_AT_SYNTH] }));
}

/** File and line of the nearest caller that is neither this package nor an installed one, as in `main.ts:31`. */
function lineOfProgram(stack = ""): string | undefined {
  for (const [, location, line] of stack.matchAll(/^\s+at .*?((?:file:\/\/)?\/[^()]*|[A-Za-z]:\\[^()]*):(\d+):\d+\)?$/gm)) {
    const file = location!.startsWith("file:") ? fileURLToPath(location!) : location!;
    if (file.startsWith(OWN_CODE) || file.split(/[\\/]/).includes("node_modules")) continue;
    const shown = relative("", file);
    return `${shown.startsWith("..") ? file : shown}:${line}`;
  }
  return undefined;
}
