/** Draws from a seed's numbers. */
export class Draw {
  constructor(private readonly random: () => number) {}

  one<T>(...items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  /** Each item is as likely as its weight. If none has a weight, all are as likely. */
  weighted<T>(items: readonly T[], weightOf: (item: T) => number): T {
    const weights = items.map(weightOf);
    const sum = weights.reduce((one, other) => one + other, 0);
    if (sum === 0) return this.one(...items);
    let rest = this.random() * sum;
    return items.find((_, index) => (rest -= weights[index]!) < 0) ?? items.at(-1)!;
  }

  /** True once in `of` times. */
  once(of: number): boolean {
    return this.random() * of < 1;
  }

  maybe<T>(of: number, make: () => T): T | undefined {
    return this.once(of) ? make() : undefined;
  }

  number(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }
}
