import { installedCdk, refuseMissing } from "../model/cdk";

/** The build makes it. */
const COPY_FOR_CDKTN = "../cdktn/recognition/resynthesis";

/** Both CDKs make the same blocks. So a review takes one that is installed, whichever has made the stack. */
export function resynthesized(actual: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const cdk = installedCdk() ?? "cdktf";
  refuseMissing(cdk);
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const resynthesis = (cdk === "cdktn" ? require(COPY_FOR_CDKTN) : require("./resynthesis")) as typeof import("./resynthesis");
  return resynthesis.resynthesized(actual);
}
