import type { JsonObject } from "../../model/provider-type";
import type { Replies } from "./replies";

/** Interface section 2.4. */
export const capov: Partial<Replies> = {
  providerCreated: ({ connection, ...provider }) => {
    const { tls, ...login } = connection as { tls: JsonObject };
    const { certs: _, ...tlsReply } = tls;
    return { ...provider, VMType: "server", connection: { ...login, tls: tlsReply }, infraProviderName: "" };
  },
};
