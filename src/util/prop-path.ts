export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined | null)?.[key], root);
}

/** Neither a list nor an object of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** For example `workers[2].count`. */
export function renderPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}${text && "."}${String(key)}`),
    "",
  );
}

/** Sets a property of the object itself, also if its name is `__proto__`, which comes from whoever has written the document. */
export function setOwn(owner: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(owner, key, { value, writable: true, enumerable: true, configurable: true });
}
