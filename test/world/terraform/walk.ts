/** Its errors are reported. */
export class Failed extends Error {}

/** One step of a walk. */
export interface Node {
  readonly label: string;
  readonly after: Set<Node>;
  /** @throws Failed */
  readonly visit: () => Promise<void>;
  status: "waiting" | "running" | "done" | "failed" | "skipped";
}

export function nodeOf(label: string, visit: () => Promise<void>, after: Iterable<Node> = []): Node {
  return { label, visit, after: new Set(after), status: "waiting" };
}

/** Visits nodes in their order, as many as possible at a time. What comes after a failed node is skipped. */
export function walked(nodes: readonly Node[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let running = 0;
    const start = () => {
      for (let isChanged = true; isChanged;) {
        isChanged = false;
        for (const node of nodes) {
          if (node.status !== "waiting") continue;
          const before = [...node.after].map(({ status }) => status);
          if (before.some((status) => status === "failed" || status === "skipped")) node.status = "skipped";
          else if (before.every((status) => status === "done")) run(node);
          isChanged ||= node.status === "skipped";
        }
      }
      if (running === 0) resolve(nodes.every(({ status }) => status === "done"));
    };
    const run = (node: Node) => {
      node.status = "running";
      running++;
      node.visit().then(
        () => end(node, "done"),
        (error: unknown) => (error instanceof Failed ? end(node, "failed") : reject(error as Error)),
      );
    };
    const end = (node: Node, status: "done" | "failed") => {
      node.status = status;
      running--;
      start();
    };
    start();
  });
}

/** Lets so many run at a time. */
export class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
