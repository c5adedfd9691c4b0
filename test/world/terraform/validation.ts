import type { Diagnostic } from "../../../src/terraform/diagnostic";
import type { Configuration } from "./configuration";
import { Expressions } from "./expressions";
import { attributesOf, PROVIDER_ATTRIBUTES, providerProblems, resourceProblems } from "./plugin";

export interface Problem {
  /** Address of the block. */
  readonly where: string;
  readonly diagnostics: readonly Diagnostic[];
}

const known = new WeakMap<Configuration, readonly Problem[]>();

/**
 * What the provider says of the blocks before a plan, while all other resources are unknown. Terraform starts a process for it, which
 * touches neither files nor the service. So the answer is the same in each run.
 */
export function problemsIn(configuration: Configuration): readonly Problem[] {
  let problems = known.get(configuration);
  if (!problems) known.set(configuration, (problems = findProblems(configuration)));
  return problems;
}

function findProblems(configuration: Configuration): Problem[] {
  const expressions = new Expressions(configuration, "default");
  const ofProviders = [...configuration.providers].flatMap(([where, given]) =>
    where.startsWith("clusterplatform")
      ? [{ where, diagnostics: providerProblems(expressions.evaluated(given, PROVIDER_ATTRIBUTES)) }]
      : [],
  );
  const ofResources = configuration.order.flatMap(({ address: where, type, provider, arguments: given }) =>
    provider.startsWith("clusterplatform")
      ? [{ where, diagnostics: resourceProblems(type, expressions.evaluated(given, attributesOf(type))) }]
      : [],
  );
  return [...ofProviders, ...ofResources].filter(({ diagnostics }) => diagnostics.length > 0);
}
