// Defines one instance of the container, as the platform runs it: started by a request, asleep when idle.
import { Container } from "@cloudflare/containers";
import type { Env } from "../core/config.ts";

export class EngineContainer extends Container<Env> {
  override defaultPort = 8080;
  override sleepAfter = "10m";
  /** Documents are untrusted, so no code in the container can reach the network. */
  override enableInternet = false;
  override pingEndpoint = "container/up";
  override envVars = { CONTAINER_SECRET: this.env.CONTAINER_SECRET ?? "" };
}
