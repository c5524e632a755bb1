// The two pools of containers: document engines without network access, and the browser with internet access.

import type { OperationDeclaration } from "../../../document/contract/operation.ts";

/**
 * `engines`: all jobs except web pages; no network access. `web`: web pages and HTML; internet access through our
 * proxy.
 */
export type Pool = "engines" | "web";

export const POOLS: readonly Pool[] = ["engines", "web"];

/** The engines that the instances of a pool start (container/server.ts). */
export const POOL_ENGINES: Readonly<Record<Pool, string>> = {
  engines: "office,ghostscript,verapdf,threads",
  web: "chromium,threads",
};

export const poolOf = ({ internet = false }: Pick<OperationDeclaration<unknown>, "internet">): Pool =>
  internet ? "web" : "engines";

/** The Worker's settings for instances. */
interface InstanceSettings {
  readonly CONTAINER_INSTANCES?: string;
  readonly WEB_CONTAINER_INSTANCES?: string;
}

/**
 * Number of instances of a pool. wrangler.toml contains this number twice; scripts/checks/deployment.ts compares the
 * two.
 */
export function instancesOf({ CONTAINER_INSTANCES, WEB_CONTAINER_INSTANCES }: InstanceSettings, pool: Pool): number {
  const setting = pool === "web" ? WEB_CONTAINER_INSTANCES : CONTAINER_INSTANCES;
  return Math.max(1, Math.floor(Number(setting)) || 1);
}
