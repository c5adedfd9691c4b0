import { serve } from "./server/serve";

void serve("clusterplatform", async () => (await import("./resources/provider")).provider());
