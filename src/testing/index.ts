export {
  declared,
  type Declared,
  type DeclaredCluster,
  type DeclaredNodes,
  type DeclaredOptions,
  type DeclaredProvider,
  type DeclaredServices,
  type DeclaredStack,
} from "./declared";
export { Deployment, type DeploymentOptions, terraformOnPath } from "./deployment";
export { matchers, type MatcherResult, type StackMatchers } from "./matchers";
export type { SynthesizedInput } from "./synthesized-input";
