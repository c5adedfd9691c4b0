import type { Gate } from "../judge/gate";
import type { Review } from "../judge/review";

type Mask = (text: string) => string;

/**
 * A review and its gate as they may be shown. Whatever is decided is decided before, by the names that things have; and
 * names that differ go on to differ, so that a reader and every format can tell them apart.
 *
 * @param mask hides what nobody is to see, wherever it turns up
 */
export function masked({ review, gate }: { review: Review; gate: Gate }, mask: Mask): { review: Review; gate: Gate } {
  const [stack, platform, name] = [distinctly(mask), distinctly(mask), distinctly(mask)];
  const object = distinctly((text) => {
    const [type, kind, ...rest] = text.split("/");
    return mask([type, kind, name(rest.join("/"))].join("/"));
  });
  const masks: Readonly<Record<string, Mask>> = {
    ...Object.fromEntries(CODES.map((key) => [key, (text: string) => text])),
    ...{ stack, stacks: stack, from: stack, to: stack, platform },
    ...{ name, provider: name, providers: name, clusters: name, object, objects: object, refused: object },
  };
  const shown = (value: unknown, of: Mask): unknown => {
    if (typeof value === "string") return of(value);
    if (Array.isArray(value)) return value.map((item) => shown(item, of));
    if (typeof value === "function") return () => shown((value as () => unknown)(), of);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item, masks[key] ?? mask)]));
  };
  const { stacks, ...rest } = review;
  const summaries = stacks.map((summary) => ({ ...summary, name: stack(summary.name) }));
  return {
    review: { stacks: summaries, ...(shown(rest, mask) as Omit<Review, "stacks">) },
    gate: shown(gate, mask) as Gate,
  };
}

/** What is ours to say, whatever it reads like. */
const CODES = ["setting", "engine", "verdict", "risk", "kind", "code", "failOn", "notSet"];

/** The same mask, but two texts never become one: the second to be hidden alike gets a number. */
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
