import { serve } from "./server/serve";

/** The provider of this package, as Terraform starts it. */
void serve("clusterplatform", async () => (await import("./resources/provider")).provider());
