import { serve } from "../../../src/plugin/server/serve";

void serve("tiny", { load: async () => (await import("./provider")).provider });
