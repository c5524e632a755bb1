// Whether a port of this machine can be listened on.

import { createServer } from "node:net";

/**
 * True when nothing listens there: neither on IPv4 nor on IPv6, because clients try both addresses of `localhost`, and
 * whoever holds the other one would get their requests.
 */
export async function portIsFree(port: number): Promise<boolean> {
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "::1"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has no one listening there.
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "EADDRINUSE" && error.code !== "EACCES"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
