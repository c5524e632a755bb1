// A round-robin HTTP balancer. It sends a request to the next host if a host refuses the connection, and never repeats
// a request that it has begun to send.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface Balancer extends AsyncDisposable {
  /** URL without a final slash. */
  readonly url: string;
  /** Ports of the hosts. Can change at any time, as health checks do. */
  readonly ports: Set<number>;
}

/** Response header with the port of the host. */
export const SERVED_BY = "served-by";

export async function startBalancer(): Promise<Balancer> {
  const ports = new Set<number>();
  let turn = 0;
  const server = createServer(async (request, response) => {
    for (let tries = ports.size; tries > 0; tries--) {
      const port = [...ports][turn++ % ports.size];
      const socket = port === undefined ? undefined : await connected(port);
      if (socket) return passOn(request, response, socket, port!);
    }
    response.writeHead(503, { "Retry-After": "1" }).end();
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ports,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @returns undefined if the host refuses the connection */
async function connected(port: number): Promise<Socket | undefined> {
  const socket = connect(port, "127.0.0.1");
  return once(socket, "connect").then(
    () => socket,
    () => undefined,
  );
}

/** Streams the request and the response. If either side breaks, so does the other. */
function passOn(request: IncomingMessage, response: ServerResponse, socket: Socket, port: number): void {
  const { method, url: path, headers } = request;
  const onward = sendRequest({ createConnection: () => socket, method, path, headers });
  onward.on("response", (answer) => {
    response.writeHead(answer.statusCode!, { ...answer.headers, [SERVED_BY]: String(port) });
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.on("error", () => onward.destroy());
  request.pipe(onward);
}
