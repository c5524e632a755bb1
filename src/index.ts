// The Worker's entry point, which contains only the handlers that the platform calls.
import { createApp } from "./app.ts";
import { ISOLATE_BUDGETS } from "./core/budgets.ts";
import { type Env, readConfig } from "./core/config.ts";
import { removeExpired } from "./storage/expired.ts";

// The library finds it by its name when a Durable Object is made anew beside a running container.
export { ContainerProxy } from "@cloudflare/containers";
export { Dispatcher } from "./placement/dispatcher.ts";
export { EngineContainer, WebContainer } from "./placement/engine-container.ts";

export default {
  fetch: createApp(ISOLATE_BUDGETS).fetch,

  /** Removes expired files (wrangler.toml, [triggers]). */
  async scheduled(_controller, env) {
    const counts = await removeExpired(env.FILES, readConfig(env).fileLifetimeMs);
    console.log(JSON.stringify({ message: "expired files removed", ...counts }));
  },
} satisfies ExportedHandler<Env>;
