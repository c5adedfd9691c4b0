/** TypeScript of a user that must compile. Lines that must not compile are marked. */
export const typesOfAUser = `
import { App, TerraformStack } from "cdktf";
import {
  CapovProvider,
  CapvsCluster,
  CapvsProvider,
  Engine,
  Platform,
  Secret,
  Services,
  type CapvsClusterProps,
  type ClusterPlatformError,
  type ErrorCode,
  type PlatformProps,
} from "cdktf-cluster-platform";
import { startSimulator, type Simulator } from "cdktf-cluster-platform/simulator";
import { declared, Deployment, matchers, type StackMatchers } from "cdktf-cluster-platform/testing";

const props: PlatformProps = { url: "https://platform.example.com", engine: Engine.TERRAFORM_DATA };
const stack = new TerraformStack(new App(), "stack");
const platform: Platform = new Platform(stack, "platform", props);
const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };
const cluster: CapvsClusterProps = {
  name: "prod",
  provider: CapvsProvider.fromName("vsphere"),
  apiEndpoint: "10.20.0.10",
  podSubnet: "10.244.0.0/16",
  serviceSubnet: "10.96.0.0/12",
  productVersion: "2.5.0",
  services: Services.only("product-monitoring"),
  controlPlane: { count: 3, ...size },
  workers: [{ group: "default", count: 3, ...size }],
  platform,
};
const address: string = new CapvsCluster(stack, "prod", cluster).fqn;
const code = (error: ClusterPlatformError): ErrorCode => error.code;
const service: Promise<Simulator> = startSimulator({ provisionSeconds: 0 });
const nodes: number = declared(stack, { platform: "" }).cluster("prod").controlPlane.count;
const applied = async (): Promise<string> => new Deployment({ service: await service }).apply(stack);
const extended: Readonly<Record<keyof StackMatchers, (...args: never[]) => { pass: boolean; message(): string }>> = matchers;
export { address, applied, code, extended, nodes, service };

// @ts-expect-error a URL is text
export const badUrl: PlatformProps = { url: 5 };
// @ts-expect-error a cluster is on a provider of its own type
export const badProvider: CapvsClusterProps = { ...cluster, provider: CapovProvider.fromName("ovirt") };
// @ts-expect-error services are a choice, not a list
export const badServices: CapvsClusterProps = { ...cluster, services: ["product-monitoring"] };
// @ts-expect-error a stack is not a Platform
export const badPlatform: CapvsClusterProps = { ...cluster, platform: stack };
// @ts-expect-error a secret is a reference, never a bare text
export const badSecret: Secret = "pa55word";
// @ts-expect-error the machinery is not part of the published types
export const internals: unknown = platform._resources;
`;
