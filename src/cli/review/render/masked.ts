import type { Gate as maskAll } from "../judge/gate";
import type { Review } from "../judge/review";

type Mask = (text: string) => string;

/**
 * All decisions are made before, with the real names. Different names stay different, so that readers and formats can tell them
 * apart.
 * @param mask hides secret text, wherever it occurs
 */
export function masked({ review, gate }: { review: Review; gate: maskAll }, mask: Mask): { review: Review; gate: maskAll } {
  const [stack, platform, name] = [distinctly(mask), distinctly(mask), distinctly(mask)];
  const object = distinctly((text) => {
    const [type, kind, ...rest] = text.split("/");
    return rest.length === 0 ? name(text) : mask([type, kind, name(rest.join("/"))].join("/"));
  });
  const masks: Readonly<Record<string, Mask>> = {
    ...Object.fromEntries(CODES.map((key) => [key, (text: string) => text])),
    ...{ stack, stacks: stack, from: stack, to: stack, platform },
    ...{ name, provider: name, providers: name, clusters: name, object, objects: object, refused: object, successor: object },
  };
  const show = (value: unknown, of: Mask): unknown => {
    if (typeof value === "string") return of(value);
    if (Array.isArray(value)) return value.map((item) => show(item, of));
    if (typeof value === "function") return () => show((value as () => unknown)(), of);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, show(item, masks[key] ?? mask)]));
  };
  const { stacks, ...rest } = review;
  const summaries = stacks.map((summary) => ({ ...summary, name: stack(summary.name) }));
  return {
    review: { stacks: summaries, ...(show(rest, mask) as Omit<Review, "stacks">) },
    gate: show(gate, mask) as maskAll,
  };
}

/** Fields with this package's own words. They are never masked. */
const CODES = ["setting", "engine", "verdict", "verdicts", "rule", "risk", "kind", "code", "because", "failOn", "notSet"];

/** The second text with the same masked form gets a number. */
function distinctly(mask: Mask): Mask {
  const known = new Map<string, string>();
  const times = new Map<string, number>();
  return (text) => {
    if (!known.has(text)) {
      const hidden = mask(text);
      const time = hidden === text ? 1 : (times.get(hidden) ?? 0) + 1;
      times.set(hidden, time);
      known.set(text, time === 1 ? hidden : `${hidden} (${time})`);
    }
    return known.get(text)!;
  };
}
