import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Exchange } from "./exchange";
import { Refusal } from "./refusal";

export type Routes = Hono<{ Bindings: HttpBindings & { readonly exchange: Exchange } }>;

/** Routes that ask every request for the token and answer whatever is refused in the service's one form. */
export function authorizedRoutes(): Routes {
  const routes: Routes = new Hono();
  routes.use(async ({ env }, next) => {
    if (!env.exchange.request.authorized) {
      throw new Refusal(401, "UNAUTHORIZED", "the request carries no bearer token, or not the right one", undefined, {
        "WWW-Authenticate": "Bearer",
      });
    }
    await next();
  });
  routes.notFound((c) => {
    throw new Refusal(404, "NOT_FOUND", `there is nothing at ${c.req.path}`);
  });
  routes.onError((error, c) => {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "INTERNAL", error.message);
    c.env.exchange.request.refusal = { code: refusal.code, message: refusal.message };
    return c.json(refusal.body, refusal.status, refusal.headers);
  });
  return routes;
}

/** For a path that exists, asked with a method that it does not have. */
export function refuseMethod(...allowed: readonly string[]): never {
  throw new Refusal(405, "METHOD_NOT_ALLOWED", `only ${allowed.join(" and ")} may be used here`, undefined, {
    Allow: allowed.join(", "),
  });
}
