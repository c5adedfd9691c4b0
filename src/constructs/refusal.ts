import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Lazy, TerraformElement, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { InvalidPropError } from "../model/errors";

const REFUSAL = Symbol.for("cdktf-cluster-platform.Refusal");
const OWN_FOLDER = resolve(__dirname, "..") + sep;

/**
 * Makes the synth fail. The constructor goes on, so that one synth reports the problems of all constructs.
 * @param problems sentences without full stops, none if nothing is refused
 */
export function refuse(construct: Construct, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const line = lineOfProgram(new Error().stack);
  new Refusal(construct, problems.join("; ") + (line === undefined ? "" : ` (${line})`));
}

/** An element of the stack, so that it is asked in a synth without validations, too. */
class Refusal extends TerraformElement {
  readonly [REFUSAL] = true;

  constructor(
    private readonly construct: Construct,
    readonly problem: string,
  ) {
    super(construct, `refusal-${construct.node.children.length}`);
    construct.node.addValidation({ validate: () => [problem, ...this.inOtherStacks()] });
  }

  /** A synth without validations, as `Testing.synth` does it, ends here. */
  override toTerraform() {
    const produce = ({ preparing }: { readonly preparing: boolean }) => {
      if (preparing) return undefined;
      const [first, ...others] = refusalsIn(this.node.root);
      throw new InvalidPropError(first!.path, [first!.problem, ...others.map(located)].join("\n"));
    };
    return { "//": Lazy.anyValue({ produce }) };
  }

  get path(): string {
    return this.construct.node.path;
  }

  /** cdktf validates stack by stack and stops at the first one that is invalid. */
  private inOtherStacks(): string[] {
    const all = refusalsIn(this.node.root);
    const isHere = (other: Refusal) => TerraformStack.of(other) === TerraformStack.of(this);
    return all.find(isHere) === this ? all.filter((other) => !isHere(other)).map(located) : [];
  }
}

function refusalsIn(root: IConstruct): Refusal[] {
  return root.node.findAll().filter((node): node is Refusal => REFUSAL in node);
}

function located({ path, problem }: Refusal): string {
  return `${path}: ${problem}`;
}

/** File and line of the nearest caller that is neither this package nor an installed one, as in `main.ts:31`. */
function lineOfProgram(stack = ""): string | undefined {
  for (const [, location, line] of stack.matchAll(/^\s+at .*?((?:file:\/\/)?\/[^()]*|[A-Za-z]:\\[^()]*):(\d+):\d+\)?$/gm)) {
    const file = location!.startsWith("file:") ? fileURLToPath(location!) : location!;
    if (file.startsWith(OWN_FOLDER) || file.split(/[\\/]/).includes("node_modules")) continue;
    const shown = relative("", file);
    return `${shown.startsWith("..") ? file : shown}:${line}`;
  }
  return undefined;
}
