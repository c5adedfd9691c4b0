import { type ITerraformDependable, ref, TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import type { TypeCode } from "../model/provider-type";
import { ManagedObject, type ManagedObjectProps } from "./managed-object";

/** A registered provider that clusters can run on. It may be in this stack, in another stack, or made by somebody else. */
export interface IProvider {
  /** Name of the registration. */
  readonly providerName: string;
  readonly providerType: TypeCode;
}

/** Props of providers of every type. */
export interface ProviderProps extends ManagedObjectProps {
  /**
   * Name of the registration, unique among the service's registrations of the type. It must be known at synth. It is the key in
   * Terraform's state: another name is another registration. Wire: `name` (capvs, capyc: `identityName`).
   */
  readonly name: string;
  /**
   * Any text or number. Changing it registers the provider again, which sends rotated credentials. The service refuses this while
   * clusters use the provider. The old registration is deleted first, so run `cluster-platform doctor --stack DIR` before the
   * apply, to check that it finds the new credentials.
   * @default - none
   */
  readonly credentialsVersion?: string | number;
}

/**
 * A registration of an infrastructure provider. The service has no update: if a field changes, the apply deletes the registration
 * and creates it again.
 */
export abstract class Provider extends ManagedObject implements IProvider, ITerraformDependable {
  readonly providerName: string;

  protected constructor(scope: Construct, id: string, type: TypeCode, props: ProviderProps) {
    super(scope, id, type, "providers", { ...props });
    this.providerName = this._declared.name;
  }

  /**
   * Address for `dependsOn` of other resources, which Terraform creates after the registration. With hooks, they wait for all
   * registrations of the type.
   */
  override get fqn(): string {
    return Token.asString(ref(this.platform._resources.addressOf(this._declared), TerraformStack.of(this.platform)));
  }

  /** {@link Engine.PROVIDER} only. The Kubernetes versions that the service offers on this provider, as a token. */
  get kubernetesVersions(): string[] {
    return this._live("kubernetesVersions").kubernetesVersions(this._declared);
  }
}
