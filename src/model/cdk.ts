import { ClusterPlatformError } from "./errors";

/** The packages with the constructs of the CDK. `entry` is this package's entry point for it. */
const CDKS = {
  cdktf: { entry: "cdktf-cluster-platform", packages: "cdktf@^0.21 constructs" },
  cdktn: { entry: "cdktf-cluster-platform/cdktn", packages: "cdktn@^0.24 constructs@~10.6" },
} as const;

export type Cdk = keyof typeof CDKS;
const NAMES = Object.keys(CDKS) as Cdk[];

/** Where this package finds both, it is cdktf. */
export function installedCdk(): Cdk | undefined {
  return NAMES.find((cdk) => cdkFile(cdk) !== undefined);
}

/** Undefined if it is not installed. */
export function cdkFile(cdk: Cdk): string | undefined {
  try {
    return require.resolve(cdk);
  } catch {
    return undefined;
  }
}

export function entryPoint(cdk: Cdk): string {
  return CDKS[cdk].entry;
}

/** @throws MISSING_CDK */
export function refuseMissing(cdk: Cdk): void {
  if (cdkFile(cdk) !== undefined) return;
  const installed = installedCdk();
  throw new ClusterPlatformError(
    "MISSING_CDK",
    `"${entryPoint(cdk)}" needs ${cdk}, which is not installed\n` +
      (installed
        ? `Import from "${entryPoint(installed)}", because ${installed} is installed`
        : NAMES.map((name) => `For ${name}: \`npm install ${CDKS[name].packages}\`, and import from "${entryPoint(name)}"`).join(
            "; ",
          )),
  );
}
