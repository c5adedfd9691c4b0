import { isOffered } from "../declarations/offered-versions";
import type { Live } from "./live";
import { enumerated } from "./wording";

interface Versioned {
  readonly kubernetesVersion?: string | undefined;
}

/**
 * @param provider of the cluster. Undefined if it is not known
 * @returns undefined if a template offers the declared version, or if that is not known
 */
export function unofferedVersion({ kubernetesVersion }: Versioned, provider: Live | undefined): string | undefined {
  if (kubernetesVersion === undefined || !provider || !("kubernetesVersions" in provider)) return undefined;
  const { name, kubernetesVersions } = provider;
  if (kubernetesVersions.length === 0 || isOffered(kubernetesVersion, kubernetesVersions)) return undefined;
  return `no template of the provider ${name} offers the declared kubernetesVersion ${kubernetesVersion}, only ${enumerated(kubernetesVersions)}`;
}

/** A warning, and no refusal: the cluster runs, and its provider may have got newer templates since it was created. */
export function unofferedLiveVersion(declared: Versioned, provider: Live | undefined): string | undefined {
  const problem = unofferedVersion(declared, provider);
  return (
    problem && `${problem}: make sure that it is the live version, because the service may refuse to create the cluster again`
  );
}
