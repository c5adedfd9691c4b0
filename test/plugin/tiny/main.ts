import { serve } from "../../../src/plugin/server/serve";

/** The provider for the protocol's tests. */
void serve("tiny", { load: async () => (await import("./provider")).provider });
