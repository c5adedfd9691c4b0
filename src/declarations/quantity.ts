const MEBIBYTES = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };

/** Reads a size with a unit, for example `16Gi`. */
export function quantityAsMebibytes(value: unknown): number | undefined {
  const [, number, unit] = (typeof value === "string" && /^([\d.]+)\s?([KMGT])i?B?$/i.exec(value)) || [];
  return unit === undefined ? undefined : Number(number) * MEBIBYTES[unit.toUpperCase() as keyof typeof MEBIBYTES];
}
