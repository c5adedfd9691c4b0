import { createHash } from "node:crypto";
import type { JsonObject } from "../../model/provider-type";
import type { Replies } from "./replies";

/** Interface section 2.3. */
export const capvs: Partial<Replies> = {
  hasReadiness: true,
  providerCreated: ({ identityName, connectInfo, ...provider }) => {
    const { url } = connectInfo as { url: string };
    return {
      identityName,
      provider: { managerAddress: url, user: "", passwd: "", thumbprint: thumbprint(url), ...provider } satisfies JsonObject,
      ready: false,
    };
  },
};

/** Of the certificate that a real platform would have shown: the same for the same address. */
function thumbprint(address: string): string {
  const hex = createHash("sha1").update(address).digest("hex").toUpperCase();
  return hex.match(/../g)!.join(":");
}
