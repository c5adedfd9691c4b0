import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./server/serve";

void serve("clusterplatform", {
  load: async () => (await import("./resources/provider")).provider(),
  // The build writes this file beside the program, see stored-schema.ts.
  storedSchema: () => readFileSync(join(__dirname, "schema.pb")),
});
