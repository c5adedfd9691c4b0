// First, so that a missing CDK has a message of its own.
import "./constructs/synth/loaded-cdk";

export { Platform } from "./constructs/platform";
export type { PlatformProps, PlatformTimeouts, PlatformTls } from "./constructs/platform-props";
export {
  DataCluster,
  type DataClusterProps,
  DataClusters,
  DataProvider,
  type DataProviderProps,
  DataProviders,
  type DataProps,
} from "./constructs/data";
export { Engine } from "./constructs/engine";
export type { Dependency } from "./constructs/synth/dependencies";
export { Secret } from "./constructs/secret";
export { Services, type PlatformService } from "./constructs/services";
export { ManagedObject, type ManagedObjectProps } from "./constructs/managed-object";
export { Provider, type IProvider, type ProviderProps } from "./constructs/provider";
export {
  Cluster,
  type ClusterProps,
  type ControlPlaneProps,
  type ProductVersionProps,
  type WorkerGroupProps,
} from "./constructs/cluster";
export type { Template } from "./constructs/template";
export * from "./constructs/types/capvs";
export * from "./constructs/types/capov";
export * from "./constructs/types/capbd";
export * from "./constructs/types/capos";
export * from "./constructs/types/capsmv2";
export * from "./constructs/types/capyc";
export * from "./constructs/types/capcd";
export { ClusterPlatformError, InvalidPropError, type ErrorCode } from "./model/errors";
export type { TypeCode } from "./model/provider-type";
export type { ServiceName } from "./declarations/services";
