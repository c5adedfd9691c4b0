export { type RequestHook, Simulator, type SimulatorOptions, startSimulator } from "./simulator";
export type { RecordedRequest } from "./exchange";
export type { Fault, FaultEffect, FaultTarget, InjectedFault } from "./fault";
export type { Timing } from "./inventory";
export type { LiveCluster, LiveProvider, ObjectEvent } from "./objects";
