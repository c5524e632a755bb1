// A whole service of its own for a test: the Worker under wrangler dev on a free port with empty storage.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContainerProcess, startContainer } from "../../scripts/container-process.ts";
import { startDevServer, type Variant, workerdPids } from "../../scripts/dev-server.ts";
import { putKeys } from "../../scripts/key-records.ts";
import { hashKey } from "../../src/core/api-key.ts";

export interface ServiceOptions {
  readonly variant: Variant;
  /** Settings of the Worker, for example `MAX_UPLOAD_MB`. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Keys it knows. @default one new key in the keyed variant, none in the private one */
  readonly apiKeys?: readonly string[];
  /** False: the Worker's answer is seen before the body has been sent. @default true */
  readonly drainBodies?: boolean;
  /**
   * True to start a container for this service; otherwise a running one, which is not stopped with the service.
   * @default none
   */
  readonly container?: true | Pick<ContainerProcess, "vars">;
}

/** The properties of a service that a test process needs if another process started it. */
export interface ServiceAddress {
  /** Without a slash at the end. */
  readonly url: string;
  /** The first key it knows. */
  readonly key?: string;
  /** Process ID of wrangler, with which `workerdPids` of scripts/dev-server.ts finds the runtime's processes. */
  readonly pid: number;
  readonly logFile: string;
  /** Folder of its local R2 and KV. */
  readonly persistTo: string;
}

export interface Service extends ServiceAddress {
  /** The process that runs the Worker first, then wrangler's proxy. */
  workerdPids(): number[];
  /** The service's own container, if it has one. */
  readonly container?: ContainerProcess;
  /** Ends all of its processes and removes its storage and its log. */
  stop(): Promise<void>;
}

export async function startService({
  variant,
  vars = {},
  apiKeys,
  drainBodies = true,
  container,
}: ServiceOptions): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), `${variant}-service-`));
  const persistTo = join(folder, "storage");
  const logFile = join(folder, "service.log");
  let own: ContainerProcess | undefined;
  const remove = async () => {
    await own?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const keys = apiKeys ?? (variant === "keyed" ? [randomUUID()] : []);
    if (keys.length > 0) await putKeys({ persistTo }, keys.map(keyOfTests));
    if (container === true) own = await startContainer({ logFile: join(folder, "container.log") });
    const containerVars = own?.vars ?? (container === true ? {} : container?.vars);
    const server = await startDevServer({
      variant,
      port: 0,
      persistTo,
      logFile,
      vars: { ...vars, ...containerVars },
      drainBodies,
    });
    return {
      url: server.url,
      ...(keys[0] === undefined ? {} : { key: keys[0] }),
      pid: server.pid,
      logFile,
      persistTo,
      ...(own ? { container: own } : {}),
      workerdPids: () => workerdPids(server.pid),
      stop: async () => {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function keyOfTests(key: string) {
  return { hash: hashKey(key), owner: "tests", created: new Date().toISOString(), revoked: null };
}
