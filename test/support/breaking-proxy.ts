// A TCP proxy that breaks connections after given numbers of bytes from the client, before or after it passes them on.

import { connect, createServer, type Socket } from "node:net";

export interface BreakingProxy extends AsyncDisposable {
  /** URL without a final slash. */
  readonly url: string;
  /** Number of broken connections so far. */
  readonly broken: number;
}

/**
 * @param target port of the service
 * @param after ascending numbers of bytes, counted over all clients; after each number, a connection breaks
 * @param isDelivered reports whether the service receives the last bytes of a connection. @default none of them
 */
export async function startBreakingProxy(
  target: number,
  after: readonly number[],
  isDelivered: (connection: number) => boolean = () => false,
): Promise<BreakingProxy> {
  const sockets = new Set<Socket>();
  let [passed, broken] = [0, 0];
  const server = createServer((client) => {
    const service = connect(target, "127.0.0.1");
    const both = [client, service];
    for (const socket of both) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        for (const each of both) each.destroy();
      });
    }
    client.on("data", (chunk) => {
      passed += chunk.length;
      if (passed >= (after[broken] ?? Number.POSITIVE_INFINITY)) {
        if (isDelivered(broken++)) service.end(chunk);
        else service.resetAndDestroy();
        client.resetAndDestroy();
      } else if (!service.write(chunk)) {
        client.pause();
        service.once("drain", () => client.resume());
      }
    });
    service.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    get broken() {
      return broken;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
