import { GetProviderSchema_Response, GetResourceIdentitySchemas_Response } from "./protocol/generated/tfplugin6.9";
import { provider } from "./resources/provider";
import { identitySchemasResponse, schemaResponse } from "./server/provider-service";

/** The contents of the files from which the plugin answers requests for its schemas. The build writes them. */
export function storedResponses(): Readonly<Record<string, Uint8Array>> {
  const served = provider({});
  return {
    "schema.pb": GetProviderSchema_Response.encode(schemaResponse(served)).finish(),
    "identities.pb": GetResourceIdentitySchemas_Response.encode(identitySchemasResponse(served)).finish(),
  };
}
