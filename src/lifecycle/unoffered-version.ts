import type { Declared } from "../declarations/declaration";
import { isOffered } from "../declarations/offered-versions";
import type { Live } from "./live";
import { enumerated } from "./wording";

/**
 * A warning, and no refusal, about the version of a live cluster: the cluster runs, and its provider may have got newer templates
 * since then.
 * @param provider of the cluster. Undefined if it is not known
 * @returns undefined if a template offers the declared version, or if that is not known
 */
export function unofferedVersion({ kubernetesVersion }: Declared, provider: Live | undefined): string | undefined {
  if (kubernetesVersion === undefined || !provider || !("kubeVersions" in provider)) return undefined;
  const { name, kubeVersions } = provider;
  if (kubeVersions.length === 0 || isOffered(kubernetesVersion, kubeVersions)) return undefined;
  return `no template of the provider ${name} offers the declared kubernetesVersion ${kubernetesVersion}, only ${enumerated(kubeVersions)}: make sure that it is the live version, because the service may refuse to create the cluster again`;
}
