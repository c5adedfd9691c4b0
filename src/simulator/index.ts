export type { RecordedRequest } from "./exchange";
export type { Fault, FaultEffect, FaultTarget, InjectedFault } from "./fault";
export { parseFault } from "./fault-text";
export type { SimulatedCluster, SimulatedProvider, ObjectEvent, ProviderConfig } from "./objects";
export type { RequestHook, SimulatorOptions, Timing } from "./options";
export { Refusal, type WrongField } from "./refusal";
export { type Simulator, startSimulator } from "./simulator";
