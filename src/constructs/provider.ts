import type { ITerraformDependable } from "cdktf";
import type { Construct } from "constructs";
import type { TypeCode } from "../model/provider-type";
import { ManagedObject, type ManagedObjectProps } from "./managed-object";

/** A registered provider, in this stack, in another one or made by somebody else, that clusters can be on. */
export interface IProvider {
  /** Name under which it is registered. */
  readonly providerName: string;
  readonly providerType: TypeCode;
}

/** Props that the registrations of every provider type have. */
export interface ProviderProps extends ManagedObjectProps {
  /**
   * Name of the registration, known at synth; unique among the service's registrations of the type. It is the key
   * in Terraform's state: another name is another registration. Wire: `name` (capvs, capyc: `identityName`).
   */
  readonly name: string;
  /**
   * Any mark. Changing it registers the provider anew, to hand rotated credentials to the service. The service
   * refuses that while clusters use the provider. The old registration is deleted first, so make sure before
   * (`cluster-platform doctor --stack DIR`) that the apply finds the new credentials.
   *
   * @default - none
   */
  readonly credentialsVersion?: string | number;
}

/** A registration of an infrastructure provider. The service has no update: a changed field deletes it and registers it anew. */
export abstract class Provider extends ManagedObject implements IProvider, ITerraformDependable {
  readonly providerName: string;

  protected constructor(scope: Construct, id: string, type: TypeCode, props: ProviderProps) {
    super(scope, id, type, "providers", { ...props });
    this.providerName = props.name;
  }

  /** Address of the Terraform block, for `dependsOn` of other resources: they wait until the registrations of the type are done. */
  override get fqn(): string {
    return this.platform._resources.addressOf(this._declared);
  }

  /**
   * The Kubernetes versions that the service offers on this provider, as a token. Only with {@link Engine.PROVIDER}.
   *
   * @throws INVALID_SETTING with another engine
   */
  get kubeVersions(): string[] {
    return this._live("kubeVersions").kubeVersions(this._declared);
  }
}
