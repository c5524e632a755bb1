// One instance of the container, as the platform runs it: started when it is asked, asleep when it is not.
import { Container } from "@cloudflare/containers";
import type { Env } from "../core/config.ts";

export class EngineContainer extends Container<Env> {
  override defaultPort = 8080;
  override sleepAfter = "10m";
  /** Documents are strangers': nothing in there reaches the outside. */
  override enableInternet = false;
  override pingEndpoint = "container/up";
  override envVars = { CONTAINER_SECRET: this.env.CONTAINER_SECRET ?? "" };
}
