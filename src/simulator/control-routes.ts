import { authorizedRoutes, refuseMethod, type Routes } from "./authorized-routes";
import { wrongBody, wrongFields } from "./body-check";
import type { RecordedRequest } from "./exchange";
import { type Fault, type Faults, faultSchema, type InjectedFault } from "./fault";
import type { Inventory } from "./inventory";
import { Refusal } from "./refusal";

/** The path of the control endpoints. It is not part of the interface, and faults do not apply to it. */
export const CONTROL_PATH = "/_simulator";

export function controlRoutes(faults: Faults, requests: readonly RecordedRequest[], inventory: Inventory): Routes {
  const routes = authorizedRoutes();

  routes.get(`${CONTROL_PATH}/faults`, (c) => c.json(faults.active.map(describe)));
  routes.post(`${CONTROL_PATH}/faults`, (c) => {
    const fault = c.env.exchange.json();
    const wrong = wrongFields(faultSchema, fault);
    if (wrong.length > 0) throw wrongBody("a fault", wrong);
    return c.json(describe(faults.inject(fault as Fault)), 201);
  });
  routes.delete(`${CONTROL_PATH}/faults`, (c) => {
    faults.heal();
    return c.body(null, 204);
  });
  routes.all(`${CONTROL_PATH}/faults`, () => refuseMethod("GET", "POST", "DELETE"));

  routes.delete(`${CONTROL_PATH}/faults/:id`, (c) => {
    const fault = faults.active.find(({ id }) => String(id) === c.req.param("id"));
    if (!fault) throw new Refusal(404, "NOT_FOUND", `there is no fault ${c.req.param("id")}`);
    fault.cancel();
    return c.body(null, 204);
  });
  routes.all(`${CONTROL_PATH}/faults/:id`, () => refuseMethod("DELETE"));

  routes.get(`${CONTROL_PATH}/log`, (c) => c.json({ requests: requests.map(withoutBody), events: inventory.events }));
  routes.all(`${CONTROL_PATH}/log`, () => refuseMethod("GET"));

  return routes;
}

/** `remaining` is null if the fault has no limit. */
function describe({ id, fault, remaining }: InjectedFault) {
  const path = fault.path instanceof RegExp ? String(fault.path) : fault.path;
  return { id, ...fault, path, remaining: Number.isFinite(remaining) ? remaining : null };
}

/** Bodies hold secrets, and people look at the log. */
function withoutBody({ body: _, ...request }: RecordedRequest) {
  return request;
}
