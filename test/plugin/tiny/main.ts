import { serve } from "../../../src/plugin/server/serve";

/** A provider for tests of the protocol. */
void serve("tiny", async () => (await import("./provider")).provider);
