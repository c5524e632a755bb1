// The Worker as wrangler changes it for development: it reads the rest of a request body before it delivers the response,
// for clients that cannot receive a response during an upload. wrangler changes only Workers that it bundles itself.
import service from "../../src/index.ts";
import type { Env } from "../../src/service/settings/config.ts";

export * from "../../src/index.ts";
export default {
  ...service,
  async fetch(request, env, context) {
    try {
      return await service.fetch(request, env, context);
    } finally {
      if (request.body !== null && !request.bodyUsed) {
        // Fails if the client has left.
        await request.body.pipeTo(new WritableStream()).catch(() => {});
      }
    }
  },
} satisfies ExportedHandler<Env>;
