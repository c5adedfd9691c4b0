import type * as z from "zod/mini";
import type { ObjectType, ProviderType } from "../../declarations/object-type";
import type { capbd } from "../../declarations/types/capbd";
import type { capcd } from "../../declarations/types/capcd";
import type { capos } from "../../declarations/types/capos";
import type { capov } from "../../declarations/types/capov";
import type { capsmv2 } from "../../declarations/types/capsmv2";
import type { capvs } from "../../declarations/types/capvs";
import type { capyc } from "../../declarations/types/capyc";
import type { ManagedObjectProps } from "../managed-object";
import type { CapbdClusterProps, CapbdProviderProps } from "./capbd";
import type { CapcdClusterProps, CapcdProviderProps } from "./capcd";
import type { CaposClusterProps, CaposProviderProps } from "./capos";
import type { CapovClusterProps, CapovProviderProps } from "./capov";
import type { Capsmv2ClusterProps, Capsmv2ProviderProps } from "./capsmv2";
import type { CapvsClusterProps, CapvsProviderProps } from "./capvs";
import type { CapycClusterProps, CapycProviderProps } from "./capyc";

/** Which properties a type has, and whether each is required. */
type Keys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? "optional" : "required" };
/** True, or the properties of both. */
type Same<One, Other> = [Keys<One>, Keys<Other>] extends [Keys<Other>, Keys<One>] ? true : [Keys<One>, Keys<Other>];

interface WithNodes {
  readonly controlPlane: object;
  readonly workers: readonly object[];
}
type SameNodes<One extends WithNodes, Other extends WithNodes> =
  Same<One["controlPlane"], Other["controlPlane"]> | Same<One["workers"][number], Other["workers"][number]>;

/** Props that are about the construct have no rule in the declaration. */
type DeclaredProps<Props> = Omit<Props, Exclude<keyof ManagedObjectProps, "bodyOverrides"> | "waitForReady">;
type Ruled<Type extends ObjectType> = z.input<Type["spec"]>;
type ProviderRules<Props, Type extends ProviderType> = Same<DeclaredProps<Props>, Ruled<Type["provider"]>>;
type ClusterRules<Props extends WithNodes, Type extends ProviderType> =
  | Same<DeclaredProps<Props>, Ruled<Type["cluster"]>>
  | (Ruled<Type["cluster"]> extends infer Rules extends WithNodes ? SameNodes<Props, Rules> : false);
type Holds<Condition extends true> = Condition;

/** A prop without a rule, a rule without a prop, and one that only one of both requires do not compile. */
export type PropsHaveRules = [
  Holds<ProviderRules<CapvsProviderProps, typeof capvs>>,
  Holds<ClusterRules<CapvsClusterProps, typeof capvs>>,
  Holds<ProviderRules<CapovProviderProps, typeof capov>>,
  Holds<ClusterRules<CapovClusterProps, typeof capov>>,
  Holds<ProviderRules<CapbdProviderProps, typeof capbd>>,
  Holds<ClusterRules<CapbdClusterProps, typeof capbd>>,
  Holds<ProviderRules<CaposProviderProps, typeof capos>>,
  Holds<ClusterRules<CaposClusterProps, typeof capos>>,
  Holds<ProviderRules<Capsmv2ProviderProps, typeof capsmv2>>,
  Holds<ClusterRules<Capsmv2ClusterProps, typeof capsmv2>>,
  Holds<ProviderRules<CapycProviderProps, typeof capyc>>,
  Holds<ClusterRules<CapycClusterProps, typeof capyc>>,
  Holds<ProviderRules<CapcdProviderProps, typeof capcd>>,
  Holds<ClusterRules<CapcdClusterProps, typeof capcd>>,
];
