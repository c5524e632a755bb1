// Opens the addresses at which a browser's connections reach our proxy, one per context.

import { createServer, type Server, type Socket } from "node:net";

/** Accepts a browser's connections to the proxy, and identifies the context by its proxy address. */
export interface ProxyListeners {
  /** Assigns a proxy address to a context, and returns it. */
  open(take: (socket: Socket) => void): Promise<{ readonly proxy: string; close(): void }>;
}

/** The proxy port in the browser's network namespace. */
export const PROXY_PORT = 3128;

/**
 * Listens in the browser's network namespace with one socket. Each context has a separate address of 127.0.0.0/8.
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

/** Listens on this machine's loopback device, with a separate port per context. */
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
