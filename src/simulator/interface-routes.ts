import type { TypeCode } from "../model/provider-type";
import { providerTypes } from "../declarations/types";
import { authorizedRoutes, refuseMethod, type Routes } from "./authorized-routes";
import { RenderedClusterList } from "./cluster-list";
import type { Inventory } from "./inventory";
import type { SimulatedCluster, SimulatedProvider } from "./objects";
import { providerList } from "./provider-list";
import { Refusal } from "./refusal";
import { repliesOf } from "./types";

/** `save` stores a change before it is answered. */
export function interfaceRoutes(inventory: Inventory, save: () => Promise<void>): Routes {
  const clusters = new RenderedClusterList(inventory);
  const routes = authorizedRoutes();

  routes.get("/api/v1/platform/providers", (c) => c.json(providerList(inventory)));
  routes.all("/api/v1/platform/providers", () => refuseMethod("GET"));

  routes.post("/api/v1/platform/providers/clusters/:type", async (c) => {
    const type = typeCode(c.req.param("type"));
    const cluster = inventory.createCluster(type, c.env.exchange.json());
    await save();
    return c.json(repliesOf(type).clusterCreated(cluster), 201);
  });
  routes.all("/api/v1/platform/providers/clusters/:type", () => refuseMethod("POST"));

  routes.post("/api/v1/platform/providers/:type", async (c) => {
    const type = typeCode(c.req.param("type"));
    const provider = inventory.createProvider(type, c.env.exchange.json());
    await save();
    return c.json(repliesOf(type).providerCreated(provider.body), 201);
  });
  routes.all("/api/v1/platform/providers/:type", () => refuseMethod("POST"));

  routes.delete("/api/v1/platform/providers/:type/:name", async (c) => {
    const provider = inventory.deleteProvider(typeCode(c.req.param("type")), c.req.param("name"));
    await save();
    return c.body(null, deletionStatus(provider, inventory.now()));
  });
  routes.all("/api/v1/platform/providers/:type/:name", () => refuseMethod("DELETE"));

  routes.get("/api/v1/clusters", (c) => c.body(clusters.render(), 200, { "content-type": "application/json" }));
  routes.all("/api/v1/clusters", () => refuseMethod("GET"));

  routes.delete("/api/v1/clusters/:name", async (c) => {
    const cluster = inventory.deleteCluster(c.req.param("name"));
    await save();
    return c.body(null, deletionStatus(cluster, inventory.now()));
  });
  routes.all("/api/v1/clusters/:name", () => refuseMethod("DELETE"));

  return routes;
}

function typeCode(given: string): TypeCode {
  if (Object.hasOwn(providerTypes, given)) return given as TypeCode;
  const known = Object.keys(providerTypes).join(", ");
  throw new Refusal(404, "NOT_FOUND", `there is no provider type '${given}', only ${known}`);
}

/** 202 while the deletion runs, also for a repeated request, and 204 if it takes no time. */
function deletionStatus(object: SimulatedProvider | SimulatedCluster, now: number): 202 | 204 {
  return object.goneAt! <= now ? 204 : 202;
}
