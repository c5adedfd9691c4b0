import { visible } from "../../../util/printable";
import { verdictName } from "./wording";
import { isAffected, keyOf, type ObjectFinding, type Risk } from "../judge/finding";

/** A graph with more nodes is not readable. */
const NODES_SHOWN = 40;

interface Node {
  readonly label: readonly string[];
  readonly risk: Risk;
}

/**
 * The affected objects and those connected to them, from cluster to provider. If there are too many, the worst. Undefined if the
 * table says as much, because every edge goes to one object.
 */
export function mermaidGraph(findings: readonly ObjectFinding[]): string | undefined {
  const nodes = new Map<string, Node>();
  const edges = new Set<string>();
  const several = new Set(findings.map(({ stack }) => stack)).size > 1;
  const byKey = new Map(findings.map((finding) => [keyOf(finding), finding]));
  const providerOf = ({ stack, type, provider }: ObjectFinding) =>
    provider === null ? undefined : keyOf({ stack, object: `${type}/providers/${provider}` });

  const node = (key: string, { stack, risk }: { stack?: string; risk: Risk }, ...label: readonly string[]): boolean => {
    if (!nodes.has(key) && nodes.size === NODES_SHOWN) return false;
    if (!nodes.has(key)) nodes.set(key, { label: several && stack !== undefined ? [stack, ...label] : label, risk });
    return true;
  };
  const nodeOf = (finding: ObjectFinding) =>
    node(keyOf(finding), finding, `${finding.kind} ${finding.name}`, verdictName(finding));

  let left = 0;
  for (const finding of findings) {
    const [key, on] = [keyOf(finding), providerOf(finding)];
    const provider = on === undefined ? undefined : byKey.get(on);
    if (!isAffected(finding) && !(provider && isAffected(provider))) continue;
    if (!nodeOf(finding)) {
      left++;
      continue;
    }
    for (const { address, replaced } of finding.dependents) {
      const own = JSON.stringify([finding.stack, address]);
      if (node(own, finding, address, replaced ? "replaced with it" : "deleted with it")) edges.add(JSON.stringify([own, key]));
    }
    if (on === undefined) continue;
    const isShown = provider ? nodeOf(provider) : node(on, { risk: "none" }, `provider ${finding.provider}`, "not in this plan");
    if (isShown) edges.add(JSON.stringify([key, on]));
  }
  const targets = new Set([...edges].map((edge) => (JSON.parse(edge) as [string, string])[1]));
  return targets.size < 2 ? undefined : render(nodes, edges, left);
}

function render(nodes: ReadonlyMap<string, Node>, edges: ReadonlySet<string>, left: number): string {
  const ids = new Map([...nodes.keys()].map((key, index) => [key, `n${index}`]));
  const risks = [...new Set([...nodes.values()].map(({ risk }) => risk))];
  return [
    "flowchart LR",
    ...[...nodes].map(([key, { label, risk }]) => `  ${ids.get(key)}["${label.map(labelText).join("<br/>")}"]:::${risk}`),
    ...[...edges].map((edge) => {
      const [from, to] = JSON.parse(edge) as [string, string];
      return `  ${ids.get(from)} --> ${ids.get(to)}`;
    }),
    ...(left > 0 ? [`  more["and ${left} more"]`] : []),
    ...risks.map((risk) => `  classDef ${risk} ${STYLES[risk]}`),
  ].join("\n");
}

const STYLES: Readonly<Record<Risk, string>> = {
  critical: "fill:#ffd7d5,stroke:#cf222e,color:#1f2328",
  high: "fill:#ffe2c6,stroke:#bc4c00,color:#1f2328",
  medium: "fill:#fff8c5,stroke:#9a6700,color:#1f2328",
  low: "fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
  none: "fill:#f6f8fa,stroke:#656d76,color:#1f2328",
};

/** Mermaid entities replace characters that could end the label or be markup. */
function labelText(text: string): string {
  return visible(text).replace(/[^\p{L}\p{N} .-]/gu, (character) => `#${character.codePointAt(0)!};`);
}
