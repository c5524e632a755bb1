// Opens the addresses at which browsers connect to our proxy. Each context has a separate address.

import { createServer, type Server, type Socket } from "node:net";

/** Accepts a browser's connections to the proxy. The proxy address that a connection uses identifies its context. */
export interface ProxyListeners {
  /** Opens a proxy address for a context, and returns the address. */
  open(take: (socket: Socket) => void): Promise<{ readonly proxy: string; close(): void }>;
}

/** The proxy port in the browser's network namespace. */
export const PROXY_PORT = 3128;

/**
 * Accepts connections of the socket that listens in the browser's network namespace. Each context has a separate
 * address in 127.0.0.0/8.
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

/** Listens on this machine's loopback device. Each context has a separate port. */
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
 * Ignores a connection that could not be accepted because no file descriptor was free. The browser retries it or does
 * without.
 */
const ignoreOne = () => {};
