import { GetProviderSchema_Response } from "./protocol/generated/tfplugin6.9";
import { provider } from "./resources/provider";
import { schemaResponse } from "./server/provider-service";

/** The contents of the file from which the plugin answers GetProviderSchema. The build writes it. */
export function storedSchema(): Uint8Array {
  return GetProviderSchema_Response.encode(schemaResponse(provider({}))).finish();
}
