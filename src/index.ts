// The Worker's entry point, which contains only the handlers that the platform calls.
import { createApp } from "./app.ts";
import { ISOLATE_BUDGETS } from "./core/budgets.ts";
import { type Env, readConfig } from "./core/config.ts";
import { ResumableUploads } from "./storage/resumable-uploads.ts";
import { createStore } from "./storage/store.ts";

// The library finds it by its name when a Durable Object is made anew beside a running container.
export { ContainerProxy } from "@cloudflare/containers";
export { Dispatcher } from "./placement/dispatcher.ts";
export { EngineContainer, WebContainer } from "./placement/engine-container.ts";

export default {
  fetch: createApp(ISOLATE_BUDGETS).fetch,

  /** Removes expired files (wrangler.toml, [triggers]). */
  async scheduled(_controller, env) {
    const lifetime = { lifetimeMs: readConfig(env).fileLifetimeMs };
    const removed = await createStore(env.FILES, lifetime).sweep();
    const uploads = await new ResumableUploads(env.FILES, lifetime).sweep();
    console.log(JSON.stringify({ message: "expired files removed", removed, uploads }));
  },
} satisfies ExportedHandler<Env>;
