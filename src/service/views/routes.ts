// Adds the routes of pages, and of their search, to the app.

import type { Context, Hono, Env as HonoEnv } from "hono";
import { allowOrigins, IIIF_PATH, serveIiif } from "./iiif/iiif.ts";
import { servePageImage } from "./page-image-route.ts";
import type { PageServices } from "./pages-service.ts";
import { isTextName, servePageText, serveSearch } from "./text/text-routes.ts";

/** @param serviceOf returns the dependencies of a request */
export function addPages<E extends HonoEnv>(app: Hono<E>, serviceOf: (context: Context<E>) => PageServices): void {
  const served = (c: Context<E>, serve: (service: PageServices) => Promise<Response>) => {
    const response = serve(serviceOf(c));
    // The work continues if the client disconnects, because other requests might share it.
    c.executionCtx.waitUntil(response.catch(() => {}));
    return response;
  };
  app.use(`${IIIF_PATH}/*`, async (c, next) => {
    await next();
    allowOrigins(c.res.headers);
  });
  app.all(`${IIIF_PATH}/*`, (c) => served(c, (service) => serveIiif(c.req.raw, service)));
  app.all("/resource/:id/pages/:name", (c) => {
    const [id, name] = [c.req.param("id")!, c.req.param("name")!];
    const serve = isTextName(name) ? servePageText : servePageImage;
    return served(c, (service) => serve(c.req.raw, id, name, service));
  });
  app.all("/resource/:id/search", (c) => served(c, (service) => serveSearch(c.req.raw, c.req.param("id")!, service)));
}
