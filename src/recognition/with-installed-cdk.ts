import { installedCdk, refuseMissing } from "../model/cdk";

type Resynthesis = typeof import("./resynthesis");

/** Both CDKs make the same blocks. So a review takes one that is installed, whichever has made the stack. */
export function resynthesized(actual: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const cdk = installedCdk() ?? "cdktf";
  refuseMissing(cdk);
  const file = cdk === "cdktn" ? "../cdktn/recognition/resynthesis" : "./resynthesis";
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require(file) as Resynthesis).resynthesized(actual);
}
