// Opens doors through which a browser's connections reach our proxy, one for each context. Knows nothing about the
// browser or the proxy.

import { createServer, type Server, type Socket } from "node:net";

/** Accepts a browser's connections to the proxy, and distinguishes its contexts by the address assigned to each. */
export interface ProxyListeners {
  /** Opens a door for one context. @returns the proxy address for the context */
  open(take: (socket: Socket) => void): Promise<{ readonly proxy: string; close(): void }>;
}

/** The port of every door in the browser's own network namespace. */
export const PROXY_PORT = 3128;

/**
 * Opens doors in the browser's own network namespace, which has all of 127.0.0.0/8: one listening socket, and an
 * address for each context.
 */
export function listenPerAddress(server: Server): ProxyListeners {
  const takers = new Map<string, (socket: Socket) => void>();
  let last = 256;
  server.on("error", ignoreOne);
  server.on("connection", (socket) => {
    const take = takers.get(socket.localAddress ?? "");
    if (take) take(socket);
    else socket.destroy();
  });
  return {
    async open(take) {
      last++;
      const address = `127.${(last >> 16) & 255}.${(last >> 8) & 255}.${last & 255}`;
      takers.set(address, take);
      return { proxy: `${address}:${PROXY_PORT}`, close: () => takers.delete(address) };
    },
  };
}

/** Opens doors on this machine's own loopback device: a port for each context. */
export function listenPerPort(): ProxyListeners {
  return {
    async open(take) {
      const server = createServer(take);
      await new Promise<void>((resolve, reject) => {
        server.on("error", reject);
        server.listen(0, "127.0.0.1", resolve);
      });
      server.on("error", ignoreOne);
      const { port } = server.address() as { port: number };
      return { proxy: `127.0.0.1:${port}`, close: () => server.close() };
    },
  };
}

/**
 * Ignores a connection that could not be accepted for lack of file descriptors: the browser retries or goes without.
 */
const ignoreOne = () => {};
