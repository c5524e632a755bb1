// Connects a request to the container, for remote.ts: by URL, or through the dispatcher to an instance of the platform.

import type { Env } from "../settings/config.ts";
import type { ConnectedContainer, JobOrigin } from "./connection.ts";
import { connectInstances } from "./instances/instance-connection.ts";
import { connectUrl } from "./url-connection.ts";

/** @returns undefined if the service runs without a container */
export function connectContainer(env: Env, caller: JobOrigin): ConnectedContainer | undefined {
  const { CONTAINER_URL: url, CONTAINER_SECRET: secret } = env;
  if (url === "off") return undefined;
  if (url && !secret)
    console.error(JSON.stringify({ message: "container not used", reason: "CONTAINER_SECRET is not set" }));
  if (url) return secret ? connectUrl(url, secret, caller) : undefined;
  return env.CONTAINER && env.DISPATCHER ? connectInstances(env, caller) : undefined;
}
