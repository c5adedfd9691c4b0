import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withoutReports } from "../host/node-diagnostics";
import { serve } from "./server/serve";

withoutReports();
void serve("clusterplatform", {
  load: async () => (await import("./resources/provider")).provider(),
  // The build writes these files beside the program, see stored-responses.ts.
  stored: {
    schema: () => readFileSync(join(__dirname, "schema.pb")),
    identities: () => readFileSync(join(__dirname, "identities.pb")),
  },
});
