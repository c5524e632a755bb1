// Listens on all of 127.0.0.0/8 inside the browser's network namespace, and passes the socket to the service. The
// service accepts connections outside that namespace: a socket stays in the namespace that created it.
import { createServer } from "node:net";

const server = createServer();
server.listen({ host: "0.0.0.0", port: Number(process.env.PROXY_PORT) }, () => {
  process.send("listening", server, {}, () => process.exit());
});
