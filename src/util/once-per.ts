/** Computes the result when somebody asks for it, and keeps it. */
export function once<Result>(make: () => Result): () => Result {
  let known: { readonly value: Result } | undefined;
  return () => (known ??= { value: make() }).value;
}

/** Computes the result for each text once, and keeps it as long as the program runs. */
export function oncePerText<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    if (!known.has(text)) known.set(text, make(text));
    return known.get(text)!;
  };
}

/** Computes the result for each object once, and keeps it as long as the object is in use. */
export function oncePerObject<Key extends object, Result>(make: (object: Key) => Result): (object: Key) => Result {
  const known = new WeakMap<Key, { readonly value: Result }>();
  return (object) => {
    const result = known.get(object) ?? { value: make(object) };
    known.set(object, result);
    return result.value;
  };
}
