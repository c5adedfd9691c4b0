import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Exchange } from "./exchange";
import { Refusal } from "./refusal";

export type Routes = Hono<{ Bindings: HttpBindings & { readonly exchange: Exchange } }>;

/** Routes that check the token of every request and answer all refusals in one format. */
export function authorizedRoutes(): Routes {
  const routes: Routes = new Hono();
  routes.use(async ({ env }, next) => {
    if (!env.exchange.request.authorized) {
      throw new Refusal(401, "UNAUTHORIZED", "the request has no bearer token, or a wrong one", undefined, {
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

export function refuseMethod(...allowed: readonly string[]): never {
  throw new Refusal(405, "METHOD_NOT_ALLOWED", `allowed here: ${allowed.join(", ")}`, undefined, {
    Allow: allowed.join(", "),
  });
}
