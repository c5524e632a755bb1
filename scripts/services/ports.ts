// Finds free ports on this machine.

import { createServer } from "node:net";

/**
 * Reports whether a port is free on both IPv4 and IPv6. Clients try both addresses of `localhost`, so a process that
 * listens on only one of them could receive their requests.
 */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "::1"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // On a machine without IPv6, the IPv6 port counts as free.
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "EADDRINUSE" && error.code !== "EACCES"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
