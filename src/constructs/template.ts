/** A machine image of a provider, and its Kubernetes version. */
export interface Template {
  /**
   * Name of the image or template in the infrastructure, unique in the provider. Changing it replaces the registration. Wire:
   * `templates[].template` (capvs: `template[].key`).
   */
  readonly template: string;
  /**
   * Kubernetes version of the image, such as `v1.28.3`. Changing it replaces the registration. Wire: `templates[].kubeVersion`
   * (capvs: `template[].value`).
   */
  readonly kubernetesVersion: string;
}
