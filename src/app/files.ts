// Routes stored files, resumable uploads and upload URLs.

import { admitFile, authorizeDelete } from "../service/http/clients/guard.ts";
import { methodNotAllowed } from "../service/http/contract/errors.ts";
import { ONE_TIME_PATH, TUS_PATH } from "../service/http/contract/paths.ts";
import { serveOneTime } from "../service/http/files/one-time.ts";
import { deleteResource, type Resources, readResource } from "../service/http/files/resource.ts";
import { serveUploads } from "../service/http/files/tus/uploads.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { newTag } from "../service/regions/region-tag.ts";
import type { CountedFile } from "../service/storage/stored-bytes.ts";
import { fileFacts } from "../service/views/file-facts.ts";
import { anyone, clientHooksOf, createRequestStore, filePolicyOf, storingFor } from "./admission.ts";
import { type App, baseUrl, idsOf, log, type RequestContext, retiredIn } from "./context.ts";
import { pagesService, requestClientId, type SharedResources, shareOf } from "./dependencies.ts";

export function addResumableUploads(app: App, shared: SharedResources): void {
  for (const path of [TUS_PATH, `${TUS_PATH}/:id`]) {
    app.all(path, (c) => {
      const policy = filePolicyOf(c);
      const service = {
        ...{
          ...policy,
          store: createRequestStore(c, policy),
          bucket: c.env.FILES,
          tag: newTag(c.env),
          config: c.get("config"),
          baseUrl: baseUrl(c),
        },
        uploadSemaphore: shared.uploadSemaphore.for(requestClientId(c)),
        mayRemove: clientHooksOf(c)?.mayDelete ?? anyone,
        retired: (files: readonly CountedFile[]) => retiredIn(c, files),
        received: (bytes: number) => c.var.admission?.countReceived(bytes),
      };
      const response = serveUploads(c.req.raw, c.req.param("id"), service);
      // If the client disconnects, the platform ends the request, but the received bytes must still be stored.
      c.executionCtx.waitUntil(response.catch(() => {}));
      return response;
    });
  }
}

export function addUploadAddresses(app: App, shared: SharedResources): void {
  for (const path of [ONE_TIME_PATH, `${ONE_TIME_PATH}/:token`]) {
    app.all(path, (c) => {
      const response = serveOneTime(c.req.raw, c.req.param("token"), {
        ...{
          ...shareOf(shared, requestClientId(c)),
          bucket: c.env.FILES,
          tag: newTag(c.env),
          config: c.get("config"),
          timing: c.get("timing"),
          baseUrl: baseUrl(c),
        },
        marks: () => filePolicyOf(c).marks(),
        quota: () => c.var.admission?.quota,
        admit: (quota) =>
          admitFile(quota, {
            ...{ request: c.req.raw, env: c.env },
            log: (message, details) => log(idsOf(c), message, details),
          }),
        storeWith: (marks, quota) =>
          createRequestStore(c, { marks: () => marks, storing: storingFor(c, quota, marks) }),
      });
      // If the client disconnects, the platform ends the request, but the upload URL must still be released.
      c.executionCtx.waitUntil(response.catch(() => {}));
      return response;
    });
  }
}

export function addResources(app: App, shared: SharedResources, spans: SpanExport): void {
  const resources = (c: RequestContext): Resources => {
    const service = pagesService(c, shared, spans);
    return {
      ...service,
      facts: (file) => fileFacts(file, service, c.req.raw.signal),
      removals: () => authorizeDelete(c.req.raw, c.env, service.config),
    };
  };
  app.on(["GET", "HEAD"], "/resource/:id", (c) => readResource(c.req.raw, c.req.param("id"), resources(c)));
  app.delete("/resource/:id", (c) => deleteResource(c.req.param("id"), resources(c)));
  app.all("/resource/:id", () => {
    throw methodNotAllowed("GET, HEAD, DELETE");
  });
}
