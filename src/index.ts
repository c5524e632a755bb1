// The Worker's entry point, which contains only the handlers that the platform calls.
import { app } from "./app.ts";
import { type Env, readConfig } from "./core/config.ts";
import { ResumableUploads } from "./storage/resumable-uploads.ts";
import { createStore } from "./storage/store.ts";

export { EngineContainer } from "./placement/engine-container.ts";

export default {
  fetch: app.fetch,

  /** Removes expired files (wrangler.toml, [triggers]). */
  async scheduled(_controller, env) {
    const lifetime = { lifetimeMs: readConfig(env).fileLifetimeMs };
    const removed = await createStore(env.FILES, lifetime).sweep();
    const uploads = await new ResumableUploads(env.FILES, lifetime).sweep();
    console.log(JSON.stringify({ message: "expired files removed", removed, uploads }));
  },
} satisfies ExportedHandler<Env>;
