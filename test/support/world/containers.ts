// Starts real containers for the objects of the Worker in the world, in place of the platform.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { EngineName } from "../../../container/engine-selection.ts";
import { type ContainerProcess, startContainer } from "../../../scripts/services/container-process.ts";

interface Containers {
  /** URL of a server: `POST /start/{name}` with the container's environment, `POST /wait/{name}`, `POST /stop/{name}`. */
  readonly url: string;
  /** Stops the server and all containers. */
  stop(): Promise<void>;
}

/**
 * @param folder receives the log of each container
 * @param engines that start in each container. @default all engines
 */
export async function startContainers(folder: string, engines?: readonly EngineName[]): Promise<Containers> {
  const containers = new Map<string, ContainerProcess>();
  const act = async (verb: string, name: string, text: string): Promise<object> => {
    const container = containers.get(name);
    if (verb === "stop") await container?.stop();
    else if (verb === "wait") await container?.ended;
    else {
      const { CONTAINER_SECRET: secret, ...env } = JSON.parse(text) as Record<string, string>;
      const logFile = join(folder, `container-${containers.size}.log`);
      const selected = engines === undefined ? env : { ...env, ENGINES: engines.join(",") };
      const started = await startContainer({ logFile, env: selected, ...(secret ? { secret } : {}) });
      containers.set(name, started);
      return { port: Number(new URL(started.url).port) };
    }
    return {};
  };
  const server = createServer(async (request, response) => {
    const [, verb = "", name = ""] = request.url!.split("/");
    const text = (await request.toArray()).join("");
    await act(verb, name, text).then(
      (body) => response.end(JSON.stringify(body)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      await Promise.all([...containers.values()].map((container) => container.stop()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
