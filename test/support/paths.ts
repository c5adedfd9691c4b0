/** Splits `a.b[0].c` into segments. An empty segment, or one with a dot, is possible only at the end, after another dot. */
export function parsePath(path: string): (string | number)[] {
  return path.split(".").flatMap((part) => {
    const [, key, indices] = /^([^[]*)((?:\[\d+\])*)$/.exec(part)!;
    return [
      key!,
      ...indices!
        .split(/[[\]]+/)
        .filter(Boolean)
        .map(Number),
    ];
  });
}

export function at(root: unknown, path: string): unknown {
  return parsePath(path).reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}

/** A copy of `root` with a new value at a path. Missing parents are created. */
export function setAt(root: unknown, path: string | readonly (string | number)[], value: unknown): unknown {
  const [head, ...rest] = typeof path === "string" ? parsePath(path) : path;
  if (head === undefined) return value;
  const own = setAt((root as Record<string, unknown> | undefined)?.[head], rest, value);
  if (typeof head !== "number") return { ...(root as object), [head]: own };
  return Object.assign([...((root as unknown[] | undefined) ?? [])], { [head]: own });
}

export function pathsOf(root: unknown, predicate: (value: unknown) => boolean, path = ""): string[] {
  if (predicate(root)) return [path];
  if (typeof root !== "object" || root === null) return [];
  return Object.entries(root).flatMap(([key, value]) =>
    pathsOf(value, predicate, Array.isArray(root) ? `${path}[${key}]` : path ? `${path}.${key}` : key),
  );
}
