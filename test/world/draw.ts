/** Draws from a seed's numbers. */
export class Draw {
  constructor(private readonly random: () => number) {}

  one<T>(...items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
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
