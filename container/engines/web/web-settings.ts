// Checks the operator's settings for hosts that web pages and `url` can access, so that the server reports mistakes
// when it starts.

import { Resolver } from "node:dns";
import { AllowList } from "../chromium/network/web-addresses.ts";
import type { WebProxySettings } from "../chromium/network/web-proxy.ts";

type Environment = Readonly<Partial<Record<"URL_ALLOW" | "URL_DNS", string>>>;

/** @throws Error with a message for the operator, if a setting is invalid */
export function readWebSettings({ URL_ALLOW: allow = "", URL_DNS = "" }: Environment): WebProxySettings {
  named("URL_ALLOW", () => new AllowList(allow));
  const dnsServers = URL_DNS.split(/[\s,]+/).filter((server) => server !== "");
  named("URL_DNS", () => new Resolver().setServers(dnsServers));
  return { allow, ...(dnsServers.length > 0 ? { dnsServers } : {}) };
}

function named(name: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}
