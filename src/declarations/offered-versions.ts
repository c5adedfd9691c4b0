/** Whether a template of a provider offers a Kubernetes version. The leading `v` does not matter. */
export function isOffered(version: string, offered: readonly string[]): boolean {
  return offered.some((each) => withoutV(each) === withoutV(version));
}

const withoutV = (version: string) => version.replace(/^v/, "");
