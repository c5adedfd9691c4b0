/** Stands for a fact that a run cannot see: a plan of hooks does not see the service, and a hook does not see `-target`. */
export const UNSEEN = Symbol("unknown");

export type Partly<Facts> = { readonly [Name in keyof Facts]: Facts[Name] | typeof UNSEEN };

/**
 * The values that each fact can have. Their product has combinations that cannot occur, such as a cluster that clusters use. They are
 * decided, too, so nothing depends on a list of what cannot occur.
 */
export type Domains<Facts> = { readonly [Name in keyof Facts]: readonly Facts[Name][] };

/**
 * A function for all that can happen: the decisions for each value of an unknown fact. It remembers its answers, because thousands of
 * objects have the same few facts.
 */
export function possibleOutcomes<Facts extends object, Outcome>(
  decide: (facts: Facts) => Outcome,
  domains: Domains<Facts>,
): (facts: Partly<Facts>) => readonly Outcome[] {
  const names = Object.keys(domains) as (keyof Facts)[];
  const known = new Map<string, readonly Outcome[]>();
  return (facts) => {
    const key = names.map((name) => String(facts[name])).join();
    if (!known.has(key)) known.set(key, possible(decide, domains, facts));
    return known.get(key)!;
  };
}

/** A fact that a decision does not ask for is not tried. */
function possible<Facts extends object, Outcome>(
  decide: (facts: Facts) => Outcome,
  domains: Domains<Facts>,
  facts: Partly<Facts>,
): readonly Outcome[] {
  let asked: keyof Facts | undefined;
  const watched = new Proxy(facts, {
    get: (all, name) => {
      const value = all[name as keyof Facts];
      if (value !== UNSEEN) return value;
      asked = name as keyof Facts;
      throw UNSEEN;
    },
  });
  try {
    return [decide(watched as Facts)];
  } catch (error) {
    if (error !== UNSEEN || asked === undefined) throw error;
    const name = asked;
    return domains[name].flatMap((value) => possible(decide, domains, { ...facts, [name]: value }));
  }
}
