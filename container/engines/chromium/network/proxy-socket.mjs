// Listens inside the browser's network namespace and passes the socket to the service, which accepts connections on it
// from outside: a socket stays in the namespace in which it was made. Every address of 127.0.0.0/8 reaches it.
import { createServer } from "node:net";

const server = createServer();
server.listen({ host: "0.0.0.0", port: Number(process.env.PROXY_PORT) }, () => {
  process.send("listening", server, {}, () => process.exit());
});
