import { serve } from "../../../src/plugin/server/serve";

void serve("tiny", async () => (await import("./provider")).provider);
