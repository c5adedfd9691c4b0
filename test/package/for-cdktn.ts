/** The change of a program from cdktf to cdktn. */
export function forCdktn(program: string): string {
  return program
    .replaceAll(/"cdktf(?=["/])/g, '"cdktn')
    .replaceAll(/"cdktf-cluster-platform(?="|\/testing")/g, '"cdktf-cluster-platform/cdktn');
}
