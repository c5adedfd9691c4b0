import { serve } from "./server/serve";

/** The entry point that Terraform starts. */
void serve("clusterplatform", async () => (await import("./resources/provider")).provider());
