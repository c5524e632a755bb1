// Checks if a port of this machine is free.

import { createServer } from "node:net";

/**
 * Reports whether no process listens on the port, neither on IPv4 nor on IPv6: clients try both addresses of
 * `localhost`, and the holder of the other one would receive their requests.
 */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "::1"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has no listeners there.
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "EADDRINUSE" && error.code !== "EACCES"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
