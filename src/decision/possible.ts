/** Stands for a fact that a run cannot see: a plan of hooks does not see the service, and a hook does not see `-target`. */
export const UNSEEN = Symbol("unknown");

export type Partly<Facts> = { readonly [Name in keyof Facts]: Facts[Name] | typeof UNSEEN };

/**
 * The values that each fact can have. Their product has combinations that cannot occur, such as a cluster that clusters use. They are
 * decided, too, so nothing depends on a list of what cannot occur.
 */
export type Domains<Facts> = { readonly [Name in keyof Facts]: readonly Facts[Name][] };

/**
 * All that can happen: the decisions for each value of an unknown fact. A fact that a decision does not ask for is not tried, so
 * the decisions about thousands of objects take milliseconds.
 */
export function possible<Facts extends object, Outcome>(
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
